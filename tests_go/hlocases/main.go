// Command hlocases writes graphs as HLO with inputs and expected results, for tests in other languages:
//
//	go run ./tests_go/hlocases FOLDER
//
// The folder must exist. It gets index.json, a list of cases, and data.bin, to whose bytes the index refers. Arrays are row-major and
// little-endian; predicates are bytes, bf16 is the upper half of a single. Of each result the index has two arrays of doubles, the least and
// the greatest element that is right at each place. NaN in both says that only NaN is right; minus infinity and infinity, that everything is.
//
// The cases are those of graphtest.OpCases, where what is right comes from package interp, and random graphs, where it comes from
// graphtest.Evaluate.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/graphtest"
	"trnsci/trnbackend/hlo"
)

// randomGraphs is how many graphs of randomNodes operations there are beside those of one operation.
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
	for seed := range uint64(randomGraphs) {
		if err := w.writeRandom(seed); err != nil {
			return fmt.Errorf("random graph %d: %w", seed, err)
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

// writer collects what the two files get.
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
		entry.Results = append(entry.Results, indexResult{s.DType.String(), dims(s), w.array(wide, low[i]), w.array(wide, high[i])})
	}
	w.index = append(w.index, entry)
	return nil
}

// writeRandom appends a random graph of all types.
func (w *writer) writeRandom(seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 0))
	g := graphtest.Random(rng, graphtest.Limits{Nodes: randomNodes, DTypes: []graph.DType{graph.F32, graph.BF16, graph.S32, graph.Pred, graph.F64}})
	c := graphtest.OpCase{Name: fmt.Sprintf("random %d", seed), Graph: g}
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
	return w.write(&c, low, high)
}

// dims returns the dimensions, never nil, which JSON would not write as a list.
func dims(s graph.Shape) []int { return append([]int{}, s.Dims...) }
