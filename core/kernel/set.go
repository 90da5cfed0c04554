package kernel

// Set names the kernels for one class of processors.
type Set uint8

// The sets, slowest first.
const (
	Go     Set = iota // portable Go
	AVX2              // amd64 with AVX2 and FMA
	AVX512            // amd64 with AVX512F and AVX512VL
	setCount
)

// String returns the name that users see.
func (s Set) String() string { return [setCount]string{"go", "avx2", "avx512"}[s] }

// Float is the set of real element types.
type Float interface{ float32 | float64 }

// Complex is the set of complex element types.
type Complex interface{ complex64 | complex128 }

// Scalar is the set of all element types that have kernels.
type Scalar interface{ Float | complex64 | complex128 }
