//go:build !noasm

package kernel

import "golang.org/x/sys/cpu"

// cpuid executes the instruction of that name.
func cpuid(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)

// detect returns the sets that the processor and the operating system support, and the processor's data.
func detect() ([]Set, processor) {
	sets := []Set{Go}
	if cpu.X86.HasAVX2 && cpu.X86.HasFMA {
		sets = append(sets, AVX2)
		if cpu.X86.HasAVX512F && cpu.X86.HasAVX512VL { // some kernels use the 256-bit forms
			sets = append(sets, AVX512)
		}
	}
	return sets, newProcessor(cpuid)
}
