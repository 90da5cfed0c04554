// Package givens generates the kernels of core/kernel/givens.
package givens

import (
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// set generates for one instruction set and element type.
type set struct{ x86.Set }

// regTurn holds the bytes from a rotation to the one that is taken next.
var regTurn = reg.RSI

// Generate adds the kernels to the package.
func Generate(p *x86.Package) {
	for _, s := range p.Sets() {
		set{s}.rotate()
		set{s}.rotateComplex()
		if s.Double && !s.Wide { // longer vectors would gain little
			set{s}.rotateColumns()
		}
	}
}
