// Command hlocases writes graphs as HLO with inputs and expected results, for tests in other languages:
//
//	go run ./tests_go/hlocases FOLDER
//
// The folder must exist. It gets index.json, a list of cases, and data.bin, to whose bytes the index refers. Arrays are row-major and
// little-endian; predicates are bytes, bf16 is the upper half of a single. The results are those of package interp; a result also has the errors
// that another machine may make (see bounds.go), or none where its elements are exact.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/graphtest"
	"trnsci/trnbackend/hlo"
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
	indexArray
	// Errors that are allowed, a double for each element; null where elements are to be equal.
	Errors *part `json:"errors"`
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
		if err := w.write(&cases[i]); err != nil {
			return fmt.Errorf("case %s: %w", cases[i].Name, err)
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
func (w *writer) array(s graph.Shape, elements []float64) indexArray {
	return indexArray{s.DType.String(), append([]int{}, s.Dims...), w.put(trnbackend.Encode(s.DType, elements))}
}

func (w *writer) write(c *graphtest.OpCase) error {
	program, err := hlo.Encode(c.Graph)
	if err != nil {
		return err
	}
	results, err := evaluate(c.Graph, c.Inputs)
	if err != nil {
		return err
	}
	errors, err := allowedErrors(c, results)
	if err != nil {
		return err
	}
	entry := indexCase{Name: c.Name, Text: c.Graph.Text(), HLO: w.put(program), Inputs: []indexArray{}}
	for i, s := range c.Graph.ParameterShapes() {
		entry.Inputs = append(entry.Inputs, w.array(s, c.Inputs[i]))
	}
	for i, s := range c.Graph.ResultShapes() {
		r := indexResult{indexArray: w.array(s, results[i])}
		if errors[i] != nil {
			p := w.put(trnbackend.Encode(graph.F64, errors[i]))
			r.Errors = &p
		}
		entry.Results = append(entry.Results, r)
	}
	w.index = append(w.index, entry)
	return nil
}
