// Kernelgen generates the assembly of the kernel packages with avo. `make generate` runs it from the repository's root:
//
//	go run -C tools ./kernelgen ROOT
//
// It writes the gen_* files of each package below ROOT.
package main

import (
	"fmt"
	"os"

	"trnsci/tools/kernelgen/batch"
	"trnsci/tools/kernelgen/bulge"
	"trnsci/tools/kernelgen/condense"
	"trnsci/tools/kernelgen/gemm"
	"trnsci/tools/kernelgen/givens"
	"trnsci/tools/kernelgen/internal/x86"
	"trnsci/tools/kernelgen/pairkernel"
	"trnsci/tools/kernelgen/secular"
	"trnsci/tools/kernelgen/vector"
)

var packages = []struct {
	folder   string
	generate func(p *x86.Package)
}{
	{"core/internal/vec", func(p *x86.Package) { p.AddBlock(x86.StripBlock) }},
	{"core/kernel/gemm", gemm.Generate},
	{"core/kernel/vector", vector.Generate},
	{"core/kernel/givens", givens.Generate},
	{"core/kernel/condense", condense.Generate},
	{"core/kernel/bulge", bulge.Generate},
	{"core/kernel/secular", secular.Generate},
	{"core/kernel/batch", batch.Generate},
	{"core/mp2/internal/pairkernel", pairkernel.Generate},
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: kernelgen ROOT")
		os.Exit(2)
	}
	for _, p := range packages {
		target := x86.NewPackage(p.folder)
		p.generate(target)
		if err := target.Write(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, "kernelgen:", err)
			os.Exit(1)
		}
	}
}
