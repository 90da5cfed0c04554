//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

// detect returns the sets that the processor and the operating system support.
func detect() []Set {
	sets := []Set{Go}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append(sets, AVX2)
		if cpu.X86.HasAVX512F {
			sets = append(sets, AVX512)
		}
	}
	return sets
}
