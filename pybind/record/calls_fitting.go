package record

// The structs of calls of density fitting and DF-MP2; calls.go says what tags mean.

// Tensor is the source of three-index integrals: an array, the file Path unless that is empty, or requests to Python,
// in which case the array gives their shape.
type Tensor struct {
	Integrals *Array `dtype:"real" absent:"yes"`
	Path      string
	Requests  bool
}

// TensorRows has the path of a file of integrals.
type TensorRows struct {
	Path string
}

// DFFit has the metric and the integrals, which are overwritten.
type DFFit struct {
	Team
	Metric      *Array `dtype:"real"`
	Integrals   *Array `dtype:"real"`
	Lindep      float64
	CheckFinite bool
}

// DFTransform has integrals of atomic orbitals, molecular orbitals, and room for the integrals of these.
type DFTransform struct {
	Team
	Tensor
	Occ         *Array `dtype:"float64"`
	Vir         *Array `dtype:"float64"`
	Out         *Array `dtype:"float64"`
	CheckFinite bool
	MaxBytes    int
}

// DFJK has densities, the orbitals they are made of, and room for Coulomb and exchange matrices. Imaginary parts are
// separate arrays.
type DFJK struct {
	Team
	Tensor
	Dm          *Array `dtype:"float64"`
	DmImag      *Array `dtype:"float64" absent:"yes"`
	Coeff       *Array `dtype:"float64" absent:"yes"`
	Occ         *Array `dtype:"float64" absent:"yes"`
	J           *Array `dtype:"float64" absent:"yes"`
	JImag       *Array `dtype:"float64" absent:"yes"`
	K           *Array `dtype:"float64" absent:"yes"`
	KImag       *Array `dtype:"float64" absent:"yes"`
	Labelled    bool
	Hermi       int
	CheckFinite bool
	MaxBytes    int
}

// Spins are the integrals and orbital energies of one or two spins. The integrals are an array, the file of a path
// unless that is empty, or, for spin s if bit s of Requests is set, requested from Python; the array then gives their
// shape and dtype.
type Spins struct {
	BAlpha    *Array
	OccAlpha  *Array `dtype:"float64"`
	VirAlpha  *Array `dtype:"float64"`
	BBeta     *Array `absent:"yes"`
	OccBeta   *Array `dtype:"float64" absent:"yes"`
	VirBeta   *Array `dtype:"float64" absent:"yes"`
	Requests  int
	PathAlpha string
	PathBeta  string
	Layout    string
}

// Functions: MP2, MP2Plan, DeviceMP2Plan.
//
// MP2 has the input of an energy and, unless only a plan is wanted, room for the opposite-spin energy, the same-spin
// energy and the error bound; for the number of pairs that were computed again; and for pair energies.
type MP2 struct {
	Team
	Spins
	Sums        *Array `dtype:"float64" absent:"yes"`
	Recomputed  *Array `dtype:"int64" absent:"yes"`
	Pairs       *Array `dtype:"float64" absent:"yes"`
	PairsBeta   *Array `dtype:"float64" absent:"yes"`
	PairsMixed  *Array `dtype:"float64" absent:"yes"`
	CheckFinite bool
	MaxBytes    int
	Tolerance   float64
	Device      int
	Precision   string
	Checkpoint  string
}

// SOSMP2 has the input of an opposite-spin energy and room for it and its error bound, and for two numbers of points.
type SOSMP2 struct {
	Team
	Spins
	Sums      *Array `dtype:"float64"`
	Points    *Array `dtype:"int64"`
	Tolerance float64
	MaxBytes  int
}

// MP2Amplitudes has the input of amplitudes and room for them, or the path of a file to write them to.
type MP2Amplitudes struct {
	Team
	Spins
	Out      *Array `dtype:"float64" absent:"yes"`
	Part     int
	MaxBytes int
	PathOut  string
}

// MP2Density has the input of densities and room for them.
type MP2Density struct {
	Team
	Spins
	Out      *Array `dtype:"float64"`
	OutBeta  *Array `dtype:"float64" absent:"yes"`
	MaxBytes int
}

// GMP2 has the input of an energy of spin orbitals and room for it and its error bound.
type GMP2 struct {
	Team
	Spins
	Sums        *Array `dtype:"float64"`
	CheckFinite bool
	MaxBytes    int
}

// KMP2 has the integrals of all pairs of k-points, the orbital energies, the momentum that is conserved, and room for
// the energies and the error bound.
type KMP2 struct {
	Team
	B           []*Array
	Occ         *Array `dtype:"float64"`
	Vir         *Array `dtype:"float64"`
	Conserve    *Array `dtype:"int64"`
	Sums        *Array `dtype:"float64"`
	Requests    bool
	CheckFinite bool
	MaxBytes    int
}
