//go:build !amd64 || noasm

package kernel

func detect() []Set { return []Set{Go} }

func gemmAssembly[T Float](s Set, _ *Tiles[T]) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func vectorAssembly[T Float](s Set, _ vectorKernel, _ *Rows[T], _ *operands[T]) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func transposeAssembly[T Float](_, _ int, _ []T, _ int, _ []T, _ int) {
	panic("kernel: no assembly in this build")
}

func systemAssembly[T Float](s Set, _ systemKernel, _ int, _, _ []T, _, _, _ int) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func rotateAssembly[T Float](s Set, _ []Rotation[T], _ bool, _ []T, _, _ int) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func rotateComplexAssembly[T Float](s Set, _ []ComplexRotation[T], _ bool, _ []T, _, _ int) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func copyAssembly[T Float](s Set, p *Panel[T]) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func pairsAssembly[T Float](s Set, p *Panel[T], _, _ [2]T) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func couplesAssembly[T Float](s Set, _ *Couples[T]) CoupleSums {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func reductionAssembly[E Scalar](s Set, _ *Reduction[E]) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func reflectionAssembly[E Scalar](s Set, _ reflectionKernel, _, _, _ []E, _, _ E, _, _ int) (squares float64) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func secularVectorsAssembly[T Float](s Set, _ Poles, _, _ []float64, _ []T, _ int) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func secularWeightsAssembly(s Set, _ Poles, _, _ []float64, _, _ int) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func secularRootsAssembly(s Set, _ *SecularEquation, _, _ int, _, _ []float64) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func laneAssembly(s Set, _ laneKernel, _ *LaneProblem) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func iterateLanesAssembly(s Set, _ *LaneProblem, _ int) [Lanes]int {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func reflectRowsAssembly[T Float](s Set, _ []Reflector[T], _ []T, _, _ int) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func reflectColumnsAssembly[T Float](s Set, _ []Reflector[T], _ []T, _, _ int, _ bool) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func chaseAssembly[T Float](s Set, _ *Chase[T]) (done, beside int) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func reflectTwoRowsAssembly[C Complex](s Set, _ []TwoRows[C], _ bool, _ []C, _, _ int) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func bulgeAssembly[C Complex](s Set, _ *Bulge[C]) int {
	panic("kernel: no assembly for " + s.String() + " in this build")
}

func similarityAssembly[T Float](s Set, _ *Similarity[T]) {
	panic("kernel: no assembly for " + s.String() + " in this build")
}
