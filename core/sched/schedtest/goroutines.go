package schedtest

import (
	"bytes"
	"runtime"
)

// Goroutines returns the number of goroutines but for those of workers that sleep until a call needs them.
func Goroutines() int {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	count := 0
	for _, stack := range bytes.Split(stacks, []byte("\n\n")) {
		if !bytes.Contains(stack, []byte("sched.(*parker).park")) {
			count++
		}
	}
	return count
}
