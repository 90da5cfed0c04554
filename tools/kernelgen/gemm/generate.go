// Package gemm generates the kernels of core/kernel/gemm.
package gemm

import "trnsci/tools/kernelgen/internal/x86"

// set generates for one instruction set and element type.
type set struct{ x86.Set }

// Generate adds the kernels to the package.
func Generate(p *x86.Package) {
	for _, e := range []x86.Element{x86.Float64, x86.Float32} {
		tilesAVX512(p.AVX512(e))
		tilesAVX2(p.AVX2(e))
	}
	for _, s := range p.Sets() {
		if !s.Double {
			packer{s, false}.function()
		}
		packer{s, true}.function()
		set{s}.trsm()
		set{s}.trmm()
	}
	for _, e := range []x86.Element{x86.Float32, x86.Float64, pair64} { // longer vectors gain nothing
		set{p.AVX2(e)}.transpose()
	}
}
