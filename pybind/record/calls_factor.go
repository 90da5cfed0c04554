package record

// The structs of calls of factorizations and linear systems; calls.go says what tags mean.

// Cholesky has a stack of matrices and room for their factors.
type Cholesky struct {
	Team
	A           *Array
	Factor      *Array
	Lower       bool
	CheckFinite bool
}

// LDL has symmetric or Hermitian matrices and room for their factors L and D, whose rows are contiguous, and for the
// order of the rows of L.
type LDL struct {
	Team
	A           *Array
	Left        *Array
	D           *Array
	Perm        *Array `dtype:"int64"`
	Lower       bool
	Hermitian   bool
	CheckFinite bool
}

// LUFactor has matrices and room for their LU factors, whose columns are contiguous, for the pivots, from 0, and for
// the numbers of the first zero pivots, from 1.
type LUFactor struct {
	Team
	A           *Array
	Factor      *Array
	Pivots      *Array `dtype:"int64"`
	Zeros       *Array `dtype:"int64"`
	CheckFinite bool
}

// LUSolve has LU factors whose columns are contiguous, their pivots, and right-hand sides, which the solutions
// overwrite.
type LUSolve struct {
	Team
	Factor      *Array
	Pivots      *Array `dtype:"int64"`
	X           *Array
	Trans       int
	CheckFinite bool
}

// Determinant has matrices and room for their determinants.
type Determinant struct {
	Team
	A           *Array
	Mantissas   *Array `dtype:"complex128"`
	Exponents   *Array `dtype:"int64"`
	CheckFinite bool
}

// Functions: Solve, Inverse.
//
// LinearSystem has matrices and right-hand sides, which the solutions overwrite, or room for the inverses, and room for
// estimates of the reciprocal condition numbers.
type LinearSystem struct {
	Team
	A           *Array
	X           *Array
	Conditions  *Array `dtype:"float64"`
	Structure   int
	Lower       bool
	Transposed  bool `default:"False"`
	CheckFinite bool
}

// Functions: SolveBanded, SolveHermitianBanded, CholeskySolveBanded, SolveToeplitz.
//
// BandedSystem has the diagonals of band matrices, or the first columns and rows of Toeplitz matrices, and right-hand
// sides, which the solutions overwrite. Below has the number of diagonals below the main one for each member, of
// general band matrices only. Name and Arg are those of the function and of its matrix.
type BandedSystem struct {
	Team
	A           *Array
	X           *Array
	Below       *Array `dtype:"int64" absent:"yes"`
	Lower       bool   `default:"False"`
	CheckFinite bool
	Name        string
	Arg         string
}

// CholeskyBanded has the diagonals of one triangle of Hermitian band matrices and room for those of their factors.
type CholeskyBanded struct {
	Team
	A           *Array
	Factor      *Array
	Lower       bool
	CheckFinite bool
}

// QRUpdate has a QR factorization, what changes its matrix, and room for the changed factorization. Kind is one of
// qrupdate.Kind, Count is the number of rows, columns or vectors, and First has the first row or column of each member.
type QRUpdate struct {
	Team
	Q           *Array
	R           *Array
	U           *Array `absent:"yes"`
	V           *Array `absent:"yes"`
	Q1          *Array
	R1          *Array
	First       *Array `dtype:"int64" absent:"yes"`
	Kind        int
	Count       int
	Rcond       float64 `default:"0.0"`
	CheckFinite bool
}

// Functions: QR, RQ.
//
// QR has matrices and room for the parts of their factorizations that are wanted; those after R are for QR only.
// Products is overwritten by the products of its rows with Q, Q^T, conj(Q) or Q^H.
type QR struct {
	Team
	A           *Array
	Q           *Array `absent:"yes"`
	R           *Array `absent:"yes"`
	Raw         *Array `absent:"yes"`
	Tau         *Array `absent:"yes"`
	Pivots      *Array `dtype:"int64" absent:"yes"`
	Products    *Array `absent:"yes"`
	Transposed  bool   `default:"False"`
	Conjugate   bool   `default:"False"`
	CheckFinite bool
}

// SVD has matrices and room for their singular values, of the real dtype, and vectors, of which all or none are
// present.
type SVD struct {
	Team
	A           *Array
	S           *Array `dtype:"real"`
	U           *Array `absent:"yes"`
	Vh          *Array `absent:"yes"`
	CheckFinite bool
}
