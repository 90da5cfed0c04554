package householder

import (
	"math"
	"math/cmplx"

	"trnsci/core/dense"
)

// Reflector3 is I - tau v v^T with v = (1, V1, V2), in the form its application needs: T1 = tau V1, T2 = tau V2. With
// V2 = 0 it acts on two elements. The zero value is the identity.
type Reflector3 struct{ V1, V2, Tau, T1, T2 float64 }

// New3 returns the reflector that maps (a, b, c), of any size, to (beta, 0, 0). It is the identity only for b = c = 0:
// blocks that are coupled by tiny elements would never separate if those were left alone.
func New3(a, b, c float64) (p Reflector3, beta float64) {
	if b == 0 && c == 0 {
		return Reflector3{}, a
	}
	scale := SafeScale(math.Sqrt(a*a + b*b + c*c))
	a, b, c = a*scale, b*scale, c*scale
	beta = -math.Copysign(math.Sqrt(a*a+b*b+c*c), a)
	p.V1, p.V2 = b/(a-beta), c/(a-beta)
	p.Tau = (beta - a) / beta
	p.T1, p.T2 = p.Tau*p.V1, p.Tau*p.V2
	return p, beta / scale
}

// Reflector2 is I - T0 v v^H with v = (1, V) and T1 = T0 V. T0 is real. The zero value is the identity.
type Reflector2[W dense.Complex] struct{ V, T0, T1 W }

// New2 returns the reflector that maps (x, y), of any size, to (beta, 0). It is the identity only for y = 0. The
// arithmetic is that of complex128.
func New2[W dense.Complex](x, y W) (r Reflector2[W], beta W) {
	if y == 0 {
		return r, x
	}
	scale := SafeScale(max(dense.Abs(x), dense.Abs(y)))
	wide, wideY := complex128(x)*complex(scale, 0), complex128(y)*complex(scale, 0)
	modulus := cmplx.Abs(wide)
	norm := math.Hypot(modulus, cmplx.Abs(wideY))
	phase := complex128(1)
	if modulus != 0 {
		unit := complex(SafeScale(modulus), 0) // a subnormal modulus would not give a number of modulus 1
		phase = wide * unit / complex(cmplx.Abs(wide*unit), 0)
	}
	tau := 1 + modulus/norm
	product := wideY * cmplx.Conj(phase) / complex(norm, 0)
	return Reflector2[W]{V: W(product / complex(tau, 0)), T1: W(product), T0: W(complex(tau, 0))},
		W(-phase * complex(norm/scale, 0))
}
