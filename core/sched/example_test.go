package sched_test

import (
	"context"
	"fmt"

	"trnsci/core/sched"
)

func ExampleTeam_For() {
	squares := make([]int, 5)
	team := sched.NewTeam(context.Background(), 2, nil)
	err := team.For(len(squares), func(_, i int) error {
		squares[i] = i * i // each item writes to its own place
		return nil
	})
	fmt.Println(squares, err)
	// Output: [0 1 4 9 16] <nil>
}
