package record

//go:generate go run ./gen

// The structs of the files calls*.go define the arguments of all calls. A struct is named after its
// function; if several functions use it, its comment lists them after "Functions:". Tags tell the generator which
// dtypes an array may have, if not those of matrices; that an array may be absent (nil here, None in Python); and
// the default value in Python. Embedded structs are shared fields.

// Team is the number of threads that a call may use.
type Team struct {
	Threads int
}

// Functions: Axpy, Scal, Dot, Nrm2, Asum, Iamax, Gemv, Symv, TriangularVector, Ger, Syr, Syr2, Gemm, Gemmt, Symm, Syrk,
// Syr2k, TriangularMatrix, SolveTriangular, CholeskySolve.
//
// BLAS has the operands of a function of the BLAS and its flags, the letters of the reference BLAS.
type BLAS struct {
	Team
	A           *Array     `absent:"yes"`
	B           *Array     `absent:"yes"`
	C           *Array     `absent:"yes"`
	TransA      int        `default:"0"`
	TransB      int        `default:"0"`
	Uplo        int        `default:"0"`
	Side        int        `default:"0"`
	Diag        int        `default:"0"`
	Conjugate   bool       `default:"False"` // Hermitian instead of symmetric, conjugated instead of plain
	Solve       bool       `default:"False"`
	CheckFinite bool       `default:"False"`
	Alpha       complex128 `default:"0"`
	Beta        complex128 `default:"0"`
}

// Functions: DeviceGemm, DeviceSyrk.
//
// DeviceProduct has the operands of a real product on a device; B is absent from a symmetric one.
type DeviceProduct struct {
	Team
	A         *Array `dtype:"real"`
	B         *Array `dtype:"real" absent:"yes"`
	C         *Array `dtype:"real"`
	Device    int
	TransA    int
	TransB    int `default:"0"`
	Uplo      int `default:"0"`
	Alpha     float64
	Beta      float64
	Precision string
}

// Subset says which eigenvalues are wanted; Kind is all, by index or by value.
type Subset struct {
	Kind  int     `default:"0"`
	First int     `default:"0"`
	Last  int     `default:"0"`
	Above float64 `default:"0.0"`
	UpTo  float64 `default:"0.0"`
}

// Functions: Eigh, EighCanonical.
//
// Eigh has a standard problem, or with B a generalized one of the type Problem. Lindep and Dropped are for
// EighCanonical.
type Eigh struct {
	Team
	A           *Array
	B           *Array `absent:"yes"`
	W           *Array `dtype:"real"`
	V           *Array `absent:"yes"`
	Dropped     *Array `dtype:"int64" absent:"yes"`
	Problem     int    `default:"1"`
	Lower       bool
	CheckFinite bool
	Overwrite   bool
	Jacobi      bool    `default:"False"`
	Lindep      float64 `default:"0.0"`
	Subset
}

// Functions: EighTridiagonal, EighBanded.
//
// EighStructured has the diagonals and subdiagonals of tridiagonal matrices, or band matrices.
type EighStructured struct {
	Team
	Matrix       *Array
	Subdiagonals *Array `dtype:"real" absent:"yes"`
	W            *Array `dtype:"real"`
	V            *Array `absent:"yes"`
	Lower        bool
	CheckFinite  bool
	Subset
}

// Schur has matrices and room for their Schur forms. If ComplexT and ComplexZ are present, the complex form of a real
// matrix is written to them. Sort is empty or a word for the eigenvalues that come first; their numbers are then
// written to Counts.
type Schur struct {
	Team
	A           *Array
	T           *Array
	Z           *Array
	ComplexT    *Array `dtype:"complex" absent:"yes"`
	ComplexZ    *Array `dtype:"complex" absent:"yes"`
	Counts      *Array `dtype:"int64" absent:"yes"`
	CheckFinite bool
	Overwrite   bool
	Sort        string
}

// Hessenberg has matrices and room for their Hessenberg forms and the unitary factors.
type Hessenberg struct {
	Team
	A           *Array
	H           *Array
	Q           *Array `absent:"yes"`
	CheckFinite bool
	Overwrite   bool
}

// Balance has matrices that are balanced in place, and room for permutations and scales.
type Balance struct {
	Team
	B       *Array
	Order   *Array `dtype:"int64"`
	Scales  *Array `dtype:"float64"`
	Permute bool
	Scale   bool
}

// SchurEigenvalues has Schur forms and room for their eigenvalues.
type SchurEigenvalues struct {
	Team
	T *Array
	W *Array `dtype:"complex128"`
}

// SchurOrder has Schur forms that are reordered in place, and which eigenvalues come first.
type SchurOrder struct {
	Team
	T        *Array
	Z        *Array
	Selected *Array `dtype:"bool"`
}

// SchurToComplex has complex arrays with real Schur forms, which become complex forms.
type SchurToComplex struct {
	Team
	T *Array `dtype:"complex"`
	Z *Array `dtype:"complex"`
}

// SchurCondition has Schur forms, the sizes of their leading clusters, and room for the condition numbers s and sep.
type SchurCondition struct {
	Team
	T       *Array
	Counts  *Array `dtype:"int64"`
	Results *Array `dtype:"float64"`
}

// Eig has matrices and room for their eigenvalues and eigenvectors.
type Eig struct {
	Team
	A           *Array
	W           *Array `dtype:"complex"`
	Left        *Array `dtype:"complex" absent:"yes"`
	Right       *Array `dtype:"complex" absent:"yes"`
	CheckFinite bool
	Overwrite   bool
}

// Functions: QZ, QZOrder.
//
// QZ has pairs of matrices and room for their generalized Schur forms, or such forms and which eigenvalues come first.
type QZ struct {
	Team
	A           *Array `absent:"yes"`
	B           *Array `absent:"yes"`
	S           *Array
	P           *Array
	Q           *Array
	Z           *Array
	Alpha       *Array `dtype:"complex" absent:"yes"`
	Beta        *Array `dtype:"real" absent:"yes"`
	Selected    *Array `dtype:"bool" absent:"yes"`
	CheckFinite bool   `default:"False"`
}

// QZEigen has pairs of matrices and room for their generalized eigenvalues and eigenvectors. With Denominators, W is
// room for the numerators of the eigenvalues.
type QZEigen struct {
	Team
	A            *Array
	B            *Array
	W            *Array `dtype:"complex"`
	Denominators *Array `dtype:"complex" absent:"yes"`
	Left         *Array `dtype:"complex" absent:"yes"`
	Right        *Array `dtype:"complex" absent:"yes"`
	CheckFinite  bool
}

// Functions: Sylvester, Lyapunov, DiscreteLyapunov.
//
// Equation has the matrices of an equation and room for the solution; B is absent from one with a single coefficient.
type Equation struct {
	Team
	A *Array
	B *Array `absent:"yes"`
	Q *Array
	X *Array
}

// InvSqrtSPD has matrices and room for their inverse square roots and the numbers of eigenvalues that were dropped.
type InvSqrtSPD struct {
	Team
	A           *Array
	X           *Array
	Dropped     *Array `dtype:"int64"`
	Threshold   float64
	CheckFinite bool
}

// DeviceInvSqrtSPD has matrices and room for their inverse square roots, computed on a device.
type DeviceInvSqrtSPD struct {
	Team
	A           *Array `dtype:"real"`
	X           *Array `dtype:"real"`
	Device      int
	CheckFinite bool
	Precision   string
}

// Functions: Expm, IntegerPower.
//
// MatrixPower has matrices and room for their exponentials or powers.
type MatrixPower struct {
	Team
	A        *Array
	X        *Array
	Exponent int `default:"0"`
}

// Functions: Sqrtm, Logm, Signm, Power.
//
// MatrixFunction has matrices and room for a function of them, for flags that describe the result, and for residuals.
// Exponent is for Power.
type MatrixFunction struct {
	Team
	A         *Array
	X         *Array  `dtype:"complex"`
	Met       *Array  `dtype:"bool"`
	Residuals *Array  `dtype:"float64"`
	Exponent  float64 `default:"0.0"`
}

// ExpmFrechet has matrices and directions, and room for derivatives of the exponential.
type ExpmFrechet struct {
	Team
	A          *Array
	E          *Array
	Derivative *Array
}

// ExpmCond has matrices and room for the condition numbers of their exponentials.
type ExpmCond struct {
	Team
	A          *Array
	Conditions *Array `dtype:"float64"`
}

// Triangularize has matrices and room for their complex Schur forms.
type Triangularize struct {
	Team
	A *Array
	T *Array `dtype:"complex"`
	Z *Array `dtype:"complex"`
}

// Parlett has Schur forms, values of a function at their eigenvalues, and room for the function of the matrices, for
// its conditions and for whether it is finite.
type Parlett struct {
	Team
	T          *Array `dtype:"complex"`
	Z          *Array `dtype:"complex"`
	Values     *Array `dtype:"complex128"`
	X          *Array `dtype:"complex"`
	Conditions *Array `dtype:"float64"`
	Finite     *Array `dtype:"bool"`
}

// DeviceOpen has the name of a device, the folder of compiled programs (empty for none) and the folders of plugins.
type DeviceOpen struct {
	Name       string
	CacheDir   string
	PluginDirs string
}

// DevicesFound has folders of plugins.
type DevicesFound struct {
	PluginDirs string
}
