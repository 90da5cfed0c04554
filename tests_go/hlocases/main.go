// Command hlocases writes graphs as HLO with inputs and expected results, for tests in other languages:
//
//	go run ./tests_go/hlocases FOLDER
//
// The folder must exist. The command writes index.json, a list of cases, and data.bin, whose bytes the index refers to.
// Arrays are row-major and little-endian; predicates are bytes, bf16 is the upper half of a single. For each result the
// index has two arrays of doubles: the least and the greatest right value of each element. NaN in both says that only
// NaN is right; minus infinity and infinity, that everything is.
//
// The cases are those of graphtest.OpCases, with ranges around the results of package interp, and graphs of device
// programs and random graphs, with ranges from graphtest.Evaluate.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"trnsci/core/precision"
	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/graphtest"
	"trnsci/trnbackend/hlo"
	"trnsci/trnbackend/programs/matmul"
)

// randomGraphs is the number of random graphs, each of randomNodes operations.
const (
	randomGraphs = 100
	randomNodes  = 20
)

// indexCase is a case in index.json.
type indexCase struct {
	Name    string        `json:"name"`
	Text    string        `json:"text"` // of the graph
	HLO     part          `json:"hlo"`
	Inputs  []indexArray  `json:"inputs"`
	Results []indexResult `json:"results"`
}

// part is a range of bytes of data.bin.
type part struct {
	Offset int `json:"offset"`
	Length int `json:"length"`
}

type indexArray struct {
	DType string `json:"dtype"`
	Dims  []int  `json:"dims"`
	part
}

type indexResult struct {
	DType string `json:"dtype"`
	Dims  []int  `json:"dims"`
	Low   part   `json:"low"`
	High  part   `json:"high"`
}

func main() {
	const usageStatus = 2
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: hlocases FOLDER")
		os.Exit(usageStatus)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "hlocases:", err)
		os.Exit(1)
	}
}

// run writes all cases.
func run(folder string) error {
	cases, err := graphtest.OpCases()
	if err != nil {
		return err
	}
	var w writer
	for i := range cases {
		c := &cases[i]
		low, high, err := rightResults(c)
		if err != nil {
			return fmt.Errorf("case %s: %w", c.Name, err)
		}
		if err := w.write(c, low, high); err != nil {
			return fmt.Errorf("case %s: %w", c.Name, err)
		}
	}
	if err := w.writePrograms(); err != nil {
		return err
	}
	for seed := range uint64(randomGraphs) {
		rng := rand.New(rand.NewPCG(seed, 0))
		g := graphtest.Random(rng,
			graphtest.Limits{Nodes: randomNodes,
				DTypes: []graph.DType{graph.F32, graph.BF16, graph.S32, graph.Pred, graph.F64}})
		if err := w.writeEvaluated(fmt.Sprintf("random %d", seed), rng, g); err != nil {
			return err
		}
	}
	index, err := json.Marshal(w.index)
	if err != nil {
		return err
	}
	const everybodyReads = 0o644
	if err := os.WriteFile(filepath.Join(folder, "index.json"), index, everybodyReads); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "data.bin"), w.data.Bytes(), everybodyReads)
}

// writer collects the contents of the two files.
type writer struct {
	index []indexCase
	data  bytes.Buffer
}

// put appends bytes to the data.
func (w *writer) put(data []byte) part {
	p := part{w.data.Len(), len(data)}
	w.data.Write(data)
	return p
}

// array appends an array to the data.
func (w *writer) array(s graph.Shape, elements []float64) part {
	return w.put(trnbackend.Encode(s.DType, elements))
}

// write appends a case whose results are right between low and high.
func (w *writer) write(c *graphtest.OpCase, low, high [][]float64) error {
	program, err := hlo.Encode(c.Graph)
	if err != nil {
		return err
	}
	entry := indexCase{Name: c.Name, Text: c.Graph.Text(), HLO: w.put(program), Inputs: []indexArray{}}
	for i, s := range c.Graph.ParameterShapes() {
		entry.Inputs = append(entry.Inputs, indexArray{s.DType.String(), dims(s), w.array(s, c.Inputs[i])})
	}
	for i, s := range c.Graph.ResultShapes() {
		wide := s.As(graph.F64)
		entry.Results = append(entry.Results,
			indexResult{s.DType.String(), dims(s), w.array(wide, low[i]), w.array(wide, high[i])})
	}
	w.index = append(w.index, entry)
	return nil
}

// writePrograms appends the graphs of GEMM and SYRK for stacks, with C and its factors. bf16x3 is left out: the
// intervals of its second and third parts would be so wide that every result would be right.
func (w *writer) writePrograms() error {
	const batch, m, n, k = 2, 12, 10, 14
	rng := rand.New(rand.NewPCG(1, 0))
	for _, p := range []precision.Precision{precision.FP32, precision.FP64, precision.BF16, precision.BF16x2} {
		gemm, err := matmul.PlanGemm(p, batch, m, n, k, false, true, true)
		if err != nil {
			return err
		}
		syrk, err := matmul.PlanSyrk(p, batch, n, k, true, true)
		if err != nil {
			return err
		}
		for _, g := range []*graph.Graph{gemm.Graph, syrk.Graph} {
			if err := w.writeEvaluated("program "+g.Name(), rng, g); err != nil {
				return err
			}
		}
	}
	return nil
}

// writeEvaluated appends a case of a graph with random inputs.
func (w *writer) writeEvaluated(name string, rng *rand.Rand, g *graph.Graph) error {
	c := graphtest.OpCase{Name: name, Graph: g}
	in := graphtest.Inputs(rng, g)
	for i, s := range g.ParameterShapes() {
		c.Inputs = append(c.Inputs, trnbackend.Decode(s.DType, in[i]))
	}
	reference := graphtest.Evaluate(g, in)
	var low, high [][]float64
	for i := range g.Results() {
		least, greatest := reference.Range(i)
		low, high = append(low, least), append(high, greatest)
	}
	if err := w.write(&c, low, high); err != nil {
		return fmt.Errorf("case %s: %w", name, err)
	}
	return nil
}

// dims returns the dimensions as a list that is never nil, which JSON would write as null.
func dims(s graph.Shape) []int { return append([]int{}, s.Dims...) }
