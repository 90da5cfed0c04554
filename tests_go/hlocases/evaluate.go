package main

import (
	"context"
	"errors"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/interp"
)

// evaluate returns the results of a graph.
func evaluate(g *graph.Graph, inputs [][]float64) (results [][]float64, err error) {
	e := interp.New()
	defer func() { err = errors.Join(err, e.Close()) }()
	p, err := e.Compile(context.Background(), g)
	if err != nil {
		return nil, err
	}
	in, out := make([]trnbackend.Buffer, len(inputs)), make([]trnbackend.Buffer, len(g.Results()))
	for i, s := range g.ParameterShapes() {
		if in[i], err = e.Upload(s, trnbackend.Encode(s.DType, inputs[i])); err != nil {
			return nil, err
		}
	}
	if err := p.Run(in, out); err != nil {
		return nil, err
	}
	for _, b := range out {
		data := make([]byte, b.Shape().Bytes())
		if err := b.Download(data); err != nil {
			return nil, err
		}
		results = append(results, trnbackend.Decode(b.Shape().DType, data))
	}
	return results, nil
}
