package pybind

import (
	"encoding/json"
	"runtime"

	"golang.org/x/sys/cpu"

	"trnsci/core/kernel"
)

// Info returns a JSON object that describes the build of the library and the processor features that it uses.
func Info() (text string, err error) {
	defer guard(&err)
	var memory runtime.MemStats
	runtime.GC() // the heap then holds only memory in use
	runtime.ReadMemStats(&memory)
	encoded, err := json.Marshal(map[string]any{
		"go":                runtime.Version(),
		"platform":          runtime.GOOS + "/" + runtime.GOARCH,
		"gomaxprocs":        runtime.GOMAXPROCS(0),
		"cpu_features":      cpuFeatures(),
		"heap_bytes":        memory.HeapAlloc,
		"kernels":           kernel.Best().String(),
		"microarchitecture": kernel.Microarchitecture(),
	})
	return string(encoded), err
}

// Kernels returns the name of the set of kernels in use.
func Kernels() (name string, err error) {
	defer guard(&err)
	return kernel.Best().String(), nil
}

// cpuFeatures lists the vector extensions of this processor that kernels may rely on.
func cpuFeatures() []string {
	features := []struct {
		name string
		has  bool
	}{
		{"sse2", cpu.X86.HasSSE2}, {"avx", cpu.X86.HasAVX}, {"avx2", cpu.X86.HasAVX2}, {"fma", cpu.X86.HasFMA},
		{"avx512f", cpu.X86.HasAVX512F}, {"avx512dq", cpu.X86.HasAVX512DQ}, {"avx512vl", cpu.X86.HasAVX512VL},
		{"avx512bf16", cpu.X86.HasAVX512BF16}, {"asimd", cpu.ARM64.HasASIMD}, {"sve", cpu.ARM64.HasSVE},
	}
	found := []string{}
	for _, f := range features {
		if f.has {
			found = append(found, f.name)
		}
	}
	return found
}
