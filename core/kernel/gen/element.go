//go:build ignore

package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// element is a real dtype: it chooses between the instructions for packed doubles and those for packed singles.
type element struct {
	name   string
	bytes  int
	double bool
}

var (
	float64s = element{"F64", 8, true}
	float32s = element{"F32", 4, false}
)

func (e element) move(c *build.Context, ops ...operand.Op) {
	if e.double {
		c.VMOVUPD(ops...)
	} else {
		c.VMOVUPS(ops...)
	}
}

// loadMasked loads the elements that the AVX-512 mask k selects, zeros elsewhere. What is not selected is not read.
func (e element) loadMasked(c *build.Context, m operand.Mem, k, dst operand.Op) {
	if e.double {
		c.VMOVUPD_Z(m, k, dst)
	} else {
		c.VMOVUPS_Z(m, k, dst)
	}
}

// moveLanes is AVX2's masked load or store.
func (e element) moveLanes(c *build.Context, src, lanes, dst operand.Op) {
	if e.double {
		c.VMASKMOVPD(src, lanes, dst)
	} else {
		c.VMASKMOVPS(src, lanes, dst)
	}
}

// broadcast fills dst with an element in memory, or with the first one of a register of 128 bits.
func (e element) broadcast(c *build.Context, m, dst operand.Op) {
	if e.double {
		c.VBROADCASTSD(m, dst)
	} else {
		c.VBROADCASTSS(m, dst)
	}
}

// multiplyAdd computes z = x y + z.
func (e element) multiplyAdd(c *build.Context, x, y, z operand.Op) {
	if e.double {
		c.VFMADD231PD(x, y, z)
	} else {
		c.VFMADD231PS(x, y, z)
	}
}

// multiplyAddMasked computes z = x y + z in the elements that the AVX-512 mask k selects; the others stay.
func (e element) multiplyAddMasked(c *build.Context, x, y, k, z operand.Op) {
	if e.double {
		c.VFMADD231PD(x, y, k, z)
	} else {
		c.VFMADD231PS(x, y, k, z)
	}
}

// multiplySubtract computes z = z - x y.
func (e element) multiplySubtract(c *build.Context, x, y, z operand.Op) {
	if e.double {
		c.VFNMADD231PD(x, y, z)
	} else {
		c.VFNMADD231PS(x, y, z)
	}
}

// scaleAdd computes z = y z + x.
func (e element) scaleAdd(c *build.Context, x, y, z operand.Op) {
	if e.double {
		c.VFMADD213PD(x, y, z)
	} else {
		c.VFMADD213PS(x, y, z)
	}
}

// scaleSubtract computes z = x - y z.
func (e element) scaleSubtract(c *build.Context, x, y, z operand.Op) {
	if e.double {
		c.VFNMADD213PD(x, y, z)
	} else {
		c.VFNMADD213PS(x, y, z)
	}
}

func (e element) multiply(c *build.Context, x, y, z operand.Op) {
	if e.double {
		c.VMULPD(x, y, z)
	} else {
		c.VMULPS(x, y, z)
	}
}

func (e element) add(c *build.Context, x, y, z operand.Op) {
	if e.double {
		c.VADDPD(x, y, z)
	} else {
		c.VADDPS(x, y, z)
	}
}

// addMasked computes z = x + y in the elements that the AVX-512 mask k selects; the others stay.
func (e element) addMasked(c *build.Context, x, y, k, z operand.Op) {
	if e.double {
		c.VADDPD(x, y, k, z)
	} else {
		c.VADDPS(x, y, k, z)
	}
}

// maximum computes z = max(x, y); x where either is NaN.
func (e element) maximum(c *build.Context, x, y, z operand.Op) {
	if e.double {
		c.VMAXPD(x, y, z)
	} else {
		c.VMAXPS(x, y, z)
	}
}

// unpackLow interleaves the lower halves of every 128 bits of y and x: y first.
func (e element) unpackLow(c *build.Context, x, y, z operand.Op) {
	if e.double {
		c.VUNPCKLPD(x, y, z)
	} else {
		c.VUNPCKLPS(x, y, z)
	}
}

func (e element) unpackHigh(c *build.Context, x, y, z operand.Op) {
	if e.double {
		c.VUNPCKHPD(x, y, z)
	} else {
		c.VUNPCKHPS(x, y, z)
	}
}

// exchange exchanges the two elements of every pair.
func (e element) exchange(c *build.Context, x, y operand.Op) {
	if e.double {
		const swapped = 0b01010101
		c.VPERMILPD(operand.Imm(swapped), x, y)
	} else {
		const swapped = 0b10_11_00_01
		c.VPERMILPS(operand.Imm(swapped), x, y)
	}
}

func (e element) loadScalar(c *build.Context, m operand.Mem, dst operand.Op) {
	if e.double {
		c.VMOVSD(m, dst)
	} else {
		c.VMOVSS(m, dst)
	}
}

func (e element) storeScalar(c *build.Context, src operand.Op, m operand.Mem) {
	if e.double {
		c.VMOVSD(src, m)
	} else {
		c.VMOVSS(src, m)
	}
}

// loadTwo loads two elements into the low end of a register.
func (e element) loadTwo(c *build.Context, m operand.Mem, dst operand.Op) {
	if e.double {
		c.VMOVUPD(m, dst)
	} else {
		c.VMOVSD(m, dst)
	}
}

func (e element) storeTwo(c *build.Context, src operand.Op, m operand.Mem) {
	if e.double {
		c.VMOVUPD(src, m)
	} else {
		c.VMOVSD(src, m)
	}
}

var zmm = []reg.VecPhysical{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7, reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23, reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

var ymm = []reg.VecPhysical{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7, reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14, reg.Y15,
}
