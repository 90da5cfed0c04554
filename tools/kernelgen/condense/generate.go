// Package condense generates the kernels of core/kernel/condense.
package condense

import (
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// set generates for one instruction set and element type.
type set struct{ x86.Set }

// Registers that point to vectors.
var regV, regW, regX, regY = reg.RSI, reg.RDI, reg.R12, reg.R14

// regLanes points to the vector that selects the elements behind the last whole vector.
var regLanes = reg.R15

// Generate adds the kernels to the package.
func Generate(p *x86.Package) {
	for _, s := range p.Sets() {
		for _, isComplex := range []bool{false, true} {
			newTridiagStep(set{s}, isComplex).function()
			newTridiagVectors(set{s}, isComplex).function()
			newHessenbergStep(set{s}, isComplex).function()
		}
	}
}
