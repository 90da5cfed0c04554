// Package bulge generates the kernels of core/kernel/bulge.
//
// The files draw where the vector registers of a kernel are. Numbers are those of Set.Registers: Y0 to Y15 with AVX2,
// Z0 to Z31 with AVX-512. A step of a sweep is named after the column k that its reflector eliminates: the reflector
// acts on the rows and columns from k+1 on.
package bulge

import (
	"github.com/mmcloughlin/avo/reg"

	"trnsci/tools/kernelgen/internal/x86"
)

// set generates for one instruction set and element type.
type set struct{ x86.Set }

// groupRows returns the rows that reflectColumns takes together.
func (s set) groupRows() int {
	if s.Wide {
		return 8
	}
	return 4
}

// low returns the low parts of the registers.
func (s set) low() []reg.VecPhysical {
	x := make([]reg.VecPhysical, len(s.Registers))
	for i, r := range s.Registers {
		x[i] = x86.Low(r)
	}
	return x
}

// Generate adds the kernels to the package.
func Generate(p *x86.Package) {
	for _, x := range p.Sets() {
		s := set{x}
		s.reflectRows()
		s.doubleShift()
		if s.Double {
			s.pencil()
		}
		if s.Wide {
			s.reflectColumns()
		} else {
			s.reflectColumnsOfGroups()
		}
		s.reflectRowPairs()
		newSingleShift(s).function()
	}
}
