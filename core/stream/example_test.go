package stream_test

import (
	"fmt"
	"log"

	"trnsci/core/sched"
	"trnsci/core/stream"
)

func ExampleBlocks_Each() {
	// Rows of a matrix that is stored by columns, two at a time.
	a := stream.Memory[float64]{Shape: []int{3, 2}, Strides: []int{1, 3}, Data: []float64{1, 2, 3, 10, 20, 30}}
	count, size := a.Slices()
	blocks, _, _ := stream.PlanBlocks(count, 8*int64(size), 1, 32)
	reader := stream.NewReader[float64](a)
	buffers := make([][]float64, blocks.Buffers)
	for n := range buffers {
		buffers[n] = make([]float64, blocks.Width*size)
	}
	load := func(team *sched.Team, buffer, first, end int) error {
		return reader.Read(team, first, end, buffers[buffer][:(end-first)*size])
	}
	err := blocks.Each(nil, nil, load, func(buffer, first, end int) error {
		fmt.Println(first, buffers[buffer][:(end-first)*size])
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 [1 10]
	// 1 [2 20]
	// 2 [3 30]
}
