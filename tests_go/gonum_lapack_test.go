package tests_go

import (
	"math/rand/v2"
	"testing"

	gblas "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	reference "gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/lapack/testlapack"

	"trnsci/core/blas/gonumblas"
)

type suite struct {
	name string
	run  func(*testing.T)
}

// use installs a BLAS for gonum's packages until the test or benchmark ends.
func use(t testing.TB, implementation gblas.Float64) {
	before := blas64.Implementation()
	blas64.Use(implementation)
	t.Cleanup(func() { blas64.Use(before) })
}

// TestGonumLapackOnOurs runs gonum's own tests of its LAPACK, which is all float64, with our BLAS beneath it.
func TestGonumLapackOnOurs(t *testing.T) {
	use(t, gonumblas.New())
	for _, s := range lapackSuites {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t)
		})
	}
	for _, s := range slowLapackSuites {
		t.Run(s.name, func(t *testing.T) {
			if testing.Short() {
				t.Skip("takes several seconds")
			}
			t.Parallel()
			s.run(t)
		})
	}
}

// BenchmarkGonumLapack times gonum's factorizations with its BLAS and with ours.
func BenchmarkGonumLapack(b *testing.B) {
	const n = 512
	var lapack gonum.Implementation
	rng := rand.New(rand.NewPCG(5, 12))
	input := make([]float64, n*n)
	for i := range input {
		input[i] = rng.NormFloat64()
	}
	for i := range n {
		input[i*n+i] += n // positive definite, if only a triangle counts
	}
	a, pivots, tau := make([]float64, n*n), make([]int, n), make([]float64, n)
	work := make([]float64, n*n)
	factorizations := []struct {
		name string
		run  func()
	}{
		{"Dgetrf", func() { lapack.Dgetrf(n, n, a, n, pivots) }},
		{"Dpotrf", func() { lapack.Dpotrf(gblas.Lower, n, a, n) }},
		{"Dgeqrf", func() { lapack.Dgeqrf(n, n, a, n, tau, work, len(work)) }},
	}
	for _, f := range factorizations {
		for _, with := range []struct {
			name           string
			implementation gblas.Float64
		}{{"gonum", reference.Implementation{}}, {"ours", gonumblas.New()}} {
			b.Run(f.name+"/"+with.name, func(b *testing.B) {
				use(b, with.implementation)
				for b.Loop() {
					copy(a, input)
					f.run()
				}
			})
		}
	}
}

// As in gonum's lapack/gonum/lapack_test.go.
var lapackSuites = []suite{
	{"Dbdsqr", func(t *testing.T) { testlapack.DbdsqrTest(t, gonum.Implementation{}) }},
	{"Dhseqr", func(t *testing.T) { testlapack.DhseqrTest(t, gonum.Implementation{}) }},
	{"Dgebak", func(t *testing.T) { testlapack.DgebakTest(t, gonum.Implementation{}) }},
	{"Dgebal", func(t *testing.T) { testlapack.DgebalTest(t, gonum.Implementation{}) }},
	{"Dgebd2", func(t *testing.T) { testlapack.Dgebd2Test(t, gonum.Implementation{}) }},
	{"Dgebrd", func(t *testing.T) { testlapack.DgebrdTest(t, gonum.Implementation{}) }},
	{"Dgecon", func(t *testing.T) { testlapack.DgeconTest(t, gonum.Implementation{}) }},
	{"Dgehd2", func(t *testing.T) { testlapack.Dgehd2Test(t, gonum.Implementation{}) }},
	{"Dgehrd", func(t *testing.T) { testlapack.DgehrdTest(t, gonum.Implementation{}) }},
	{"Dgelqf", func(t *testing.T) { testlapack.DgelqfTest(t, gonum.Implementation{}) }},
	{"Dgelq2", func(t *testing.T) { testlapack.Dgelq2Test(t, gonum.Implementation{}) }},
	{"Dgeql2", func(t *testing.T) { testlapack.Dgeql2Test(t, gonum.Implementation{}) }},
	{"Dgels", func(t *testing.T) { testlapack.DgelsTest(t, gonum.Implementation{}) }},
	{"Dgerq2", func(t *testing.T) { testlapack.Dgerq2Test(t, gonum.Implementation{}) }},
	{"Dgesc2", func(t *testing.T) { testlapack.Dgesc2Test(t, gonum.Implementation{}) }},
	{"Dgeqp3", func(t *testing.T) { testlapack.Dgeqp3Test(t, gonum.Implementation{}) }},
	{"Dgeqr2", func(t *testing.T) { testlapack.Dgeqr2Test(t, gonum.Implementation{}) }},
	{"Dgeqrf", func(t *testing.T) { testlapack.DgeqrfTest(t, gonum.Implementation{}) }},
	{"Dgerqf", func(t *testing.T) { testlapack.DgerqfTest(t, gonum.Implementation{}) }},
	{"Dgesv", func(t *testing.T) { testlapack.DgesvTest(t, gonum.Implementation{}) }},
	{"Dgetc2", func(t *testing.T) { testlapack.Dgetc2Test(t, gonum.Implementation{}) }},
	{"Dgetri", func(t *testing.T) { testlapack.DgetriTest(t, gonum.Implementation{}) }},
	{"Dgetf2", func(t *testing.T) { testlapack.Dgetf2Test(t, gonum.Implementation{}) }},
	{"Dgetrf", func(t *testing.T) { testlapack.DgetrfTest(t, gonum.Implementation{}) }},
	{"Dgetrs", func(t *testing.T) { testlapack.DgetrsTest(t, gonum.Implementation{}) }},
	{"Dgghrd", func(t *testing.T) { testlapack.DgghrdTest(t, gonum.Implementation{}) }},
	{"Dggsvd3", func(t *testing.T) { testlapack.Dggsvd3Test(t, gonum.Implementation{}) }},
	{"Dggsvp3", func(t *testing.T) { testlapack.Dggsvp3Test(t, gonum.Implementation{}) }},
	{"Dgtsv", func(t *testing.T) { testlapack.DgtsvTest(t, gonum.Implementation{}) }},
	{"Dlabrd", func(t *testing.T) { testlapack.DlabrdTest(t, gonum.Implementation{}) }},
	{"Dlacn2", func(t *testing.T) { testlapack.Dlacn2Test(t, gonum.Implementation{}) }},
	{"Dlacpy", func(t *testing.T) { testlapack.DlacpyTest(t, gonum.Implementation{}) }},
	{"Dlae2", func(t *testing.T) { testlapack.Dlae2Test(t, gonum.Implementation{}) }},
	{"Dlaev2", func(t *testing.T) { testlapack.Dlaev2Test(t, gonum.Implementation{}) }},
	{"Dlaexc", func(t *testing.T) { testlapack.DlaexcTest(t, gonum.Implementation{}) }},
	{"Dlag2", func(t *testing.T) { testlapack.Dlag2Test(t, gonum.Implementation{}) }},
	{"Dlags2", func(t *testing.T) { testlapack.Dlags2Test(t, gonum.Implementation{}) }},
	{"Dlagtm", func(t *testing.T) { testlapack.DlagtmTest(t, gonum.Implementation{}) }},
	{"Dlahqr", func(t *testing.T) { testlapack.DlahqrTest(t, gonum.Implementation{}) }},
	{"Dlahr2", func(t *testing.T) { testlapack.Dlahr2Test(t, gonum.Implementation{}) }},
	{"Dlaln2", func(t *testing.T) { testlapack.Dlaln2Test(t, gonum.Implementation{}) }},
	{"Dlangb", func(t *testing.T) { testlapack.DlangbTest(t, gonum.Implementation{}) }},
	{"Dlange", func(t *testing.T) { testlapack.DlangeTest(t, gonum.Implementation{}) }},
	{"Dlangt", func(t *testing.T) { testlapack.DlangtTest(t, gonum.Implementation{}) }},
	{"Dlanhs", func(t *testing.T) { testlapack.DlanhsTest(t, gonum.Implementation{}) }},
	{"Dlapy2", func(t *testing.T) { testlapack.Dlapy2Test(t, gonum.Implementation{}) }},
	{"Dlapll", func(t *testing.T) { testlapack.DlapllTest(t, gonum.Implementation{}) }},
	{"Dlapmr", func(t *testing.T) { testlapack.DlapmrTest(t, gonum.Implementation{}) }},
	{"Dlapmt", func(t *testing.T) { testlapack.DlapmtTest(t, gonum.Implementation{}) }},
	{"Dlas2", func(t *testing.T) { testlapack.Dlas2Test(t, gonum.Implementation{}) }},
	{"Dlascl", func(t *testing.T) { testlapack.DlasclTest(t, gonum.Implementation{}) }},
	{"Dlaset", func(t *testing.T) { testlapack.DlasetTest(t, gonum.Implementation{}) }},
	{"Dlasrt", func(t *testing.T) { testlapack.DlasrtTest(t, gonum.Implementation{}) }},
	{"Dlassq", func(t *testing.T) { testlapack.DlassqTest(t, gonum.Implementation{}) }},
	{"Dlaswp", func(t *testing.T) { testlapack.DlaswpTest(t, gonum.Implementation{}) }},
	{"Dlasy2", func(t *testing.T) { testlapack.Dlasy2Test(t, gonum.Implementation{}) }},
	{"Dlansb", func(t *testing.T) { testlapack.DlansbTest(t, gonum.Implementation{}) }},
	{"Dlanst", func(t *testing.T) { testlapack.DlanstTest(t, gonum.Implementation{}) }},
	{"Dlansy", func(t *testing.T) { testlapack.DlansyTest(t, gonum.Implementation{}) }},
	{"Dlantb", func(t *testing.T) { testlapack.DlantbTest(t, gonum.Implementation{}) }},
	{"Dlantr", func(t *testing.T) { testlapack.DlantrTest(t, gonum.Implementation{}) }},
	{"Dlanv2", func(t *testing.T) { testlapack.Dlanv2Test(t, gonum.Implementation{}) }},
	{"Dlaqp2", func(t *testing.T) { testlapack.Dlaqp2Test(t, gonum.Implementation{}) }},
	{"Dlaqps", func(t *testing.T) { testlapack.DlaqpsTest(t, gonum.Implementation{}) }},
	{"Dlaqr1", func(t *testing.T) { testlapack.Dlaqr1Test(t, gonum.Implementation{}) }},
	{"Dlaqr5", func(t *testing.T) { testlapack.Dlaqr5Test(t, gonum.Implementation{}) }},
	{"Dlarf", func(t *testing.T) { testlapack.DlarfTest(t, gonum.Implementation{}) }},
	{"Dlarfb", func(t *testing.T) { testlapack.DlarfbTest(t, gonum.Implementation{}) }},
	{"Dlarfg", func(t *testing.T) { testlapack.DlarfgTest(t, gonum.Implementation{}) }},
	{"Dlarft", func(t *testing.T) { testlapack.DlarftTest(t, gonum.Implementation{}) }},
	{"Dlarfx", func(t *testing.T) { testlapack.DlarfxTest(t, gonum.Implementation{}) }},
	{"Dlartg", func(t *testing.T) { testlapack.DlartgTest(t, gonum.Implementation{}) }},
	{"Dlasq1", func(t *testing.T) { testlapack.Dlasq1Test(t, gonum.Implementation{}) }},
	{"Dlasq2", func(t *testing.T) { testlapack.Dlasq2Test(t, gonum.Implementation{}) }},
	{"Dlasr", func(t *testing.T) { testlapack.DlasrTest(t, gonum.Implementation{}) }},
	{"Dlasv2", func(t *testing.T) { testlapack.Dlasv2Test(t, gonum.Implementation{}) }},
	{"Dlatbs", func(t *testing.T) { testlapack.DlatbsTest(t, gonum.Implementation{}) }},
	{"Dlatrd", func(t *testing.T) { testlapack.DlatrdTest(t, gonum.Implementation{}) }},
	{"Dlatrs", func(t *testing.T) { testlapack.DlatrsTest(t, gonum.Implementation{}) }},
	{"Dlauu2", func(t *testing.T) { testlapack.Dlauu2Test(t, gonum.Implementation{}) }},
	{"Dlauum", func(t *testing.T) { testlapack.DlauumTest(t, gonum.Implementation{}) }},
	{"Dorg2r", func(t *testing.T) { testlapack.Dorg2rTest(t, gonum.Implementation{}) }},
	{"Dorgbr", func(t *testing.T) { testlapack.DorgbrTest(t, gonum.Implementation{}) }},
	{"Dorghr", func(t *testing.T) { testlapack.DorghrTest(t, gonum.Implementation{}) }},
	{"Dorg2l", func(t *testing.T) { testlapack.Dorg2lTest(t, gonum.Implementation{}) }},
	{"Dorgl2", func(t *testing.T) { testlapack.Dorgl2Test(t, gonum.Implementation{}) }},
	{"Dorglq", func(t *testing.T) { testlapack.DorglqTest(t, gonum.Implementation{}) }},
	{"Dorgql", func(t *testing.T) { testlapack.DorgqlTest(t, gonum.Implementation{}) }},
	{"Dorgqr", func(t *testing.T) { testlapack.DorgqrTest(t, gonum.Implementation{}) }},
	{"Dorgr2", func(t *testing.T) { testlapack.Dorgr2Test(t, gonum.Implementation{}) }},
	{"Dorgtr", func(t *testing.T) { testlapack.DorgtrTest(t, gonum.Implementation{}) }},
	{"Dormhr", func(t *testing.T) { testlapack.DormhrTest(t, gonum.Implementation{}) }},
	{"Dorml2", func(t *testing.T) { testlapack.Dorml2Test(t, gonum.Implementation{}) }},
	{"Dormlq", func(t *testing.T) { testlapack.DormlqTest(t, gonum.Implementation{}) }},
	{"Dormqr", func(t *testing.T) { testlapack.DormqrTest(t, gonum.Implementation{}) }},
	{"Dormr2", func(t *testing.T) { testlapack.Dormr2Test(t, gonum.Implementation{}) }},
	{"Dorm2r", func(t *testing.T) { testlapack.Dorm2rTest(t, gonum.Implementation{}) }},
	{"Dpbcon", func(t *testing.T) { testlapack.DpbconTest(t, gonum.Implementation{}) }},
	{"Dpbtf2", func(t *testing.T) { testlapack.Dpbtf2Test(t, gonum.Implementation{}) }},
	{"Dpbtrf", func(t *testing.T) { testlapack.DpbtrfTest(t, gonum.Implementation{}) }},
	{"Dpbtrs", func(t *testing.T) { testlapack.DpbtrsTest(t, gonum.Implementation{}) }},
	{"Dpocon", func(t *testing.T) { testlapack.DpoconTest(t, gonum.Implementation{}) }},
	{"Dpotf2", func(t *testing.T) { testlapack.Dpotf2Test(t, gonum.Implementation{}) }},
	{"Dpotrf", func(t *testing.T) { testlapack.DpotrfTest(t, gonum.Implementation{}) }},
	{"Dpotri", func(t *testing.T) { testlapack.DpotriTest(t, gonum.Implementation{}) }},
	{"Dpotrs", func(t *testing.T) { testlapack.DpotrsTest(t, gonum.Implementation{}) }},
	{"Dpstf2", func(t *testing.T) { testlapack.Dpstf2Test(t, gonum.Implementation{}) }},
	{"Dpstrf", func(t *testing.T) { testlapack.DpstrfTest(t, gonum.Implementation{}) }},
	{"Dpttrf", func(t *testing.T) { testlapack.DpttrfTest(t, gonum.Implementation{}) }},
	{"Dpttrs", func(t *testing.T) { testlapack.DpttrsTest(t, gonum.Implementation{}) }},
	{"Dptsv", func(t *testing.T) { testlapack.DptsvTest(t, gonum.Implementation{}) }},
	{"Dptcon", func(t *testing.T) { testlapack.DptconTest(t, gonum.Implementation{}) }},
	{"Drscl", func(t *testing.T) { testlapack.DrsclTest(t, gonum.Implementation{}) }},
	{"Dsteqr", func(t *testing.T) { testlapack.DsteqrTest(t, gonum.Implementation{}) }},
	{"Dsterf", func(t *testing.T) { testlapack.DsterfTest(t, gonum.Implementation{}) }},
	{"Dsyev", func(t *testing.T) { testlapack.DsyevTest(t, gonum.Implementation{}) }},
	{"Dsytd2", func(t *testing.T) { testlapack.Dsytd2Test(t, gonum.Implementation{}) }},
	{"Dsytrd", func(t *testing.T) { testlapack.DsytrdTest(t, gonum.Implementation{}) }},
	{"Dtgsja", func(t *testing.T) { testlapack.DtgsjaTest(t, gonum.Implementation{}) }},
	{"Dtbtrs", func(t *testing.T) { testlapack.DtbtrsTest(t, gonum.Implementation{}) }},
	{"Dtrcon", func(t *testing.T) { testlapack.DtrconTest(t, gonum.Implementation{}) }},
	{"Dtrevc3", func(t *testing.T) { testlapack.Dtrevc3Test(t, gonum.Implementation{}) }},
	{"Dtrexc", func(t *testing.T) { testlapack.DtrexcTest(t, gonum.Implementation{}) }},
	{"Dtrti2", func(t *testing.T) { testlapack.Dtrti2Test(t, gonum.Implementation{}) }},
	{"Dtrtri", func(t *testing.T) { testlapack.DtrtriTest(t, gonum.Implementation{}) }},
	{"Dtrtrs", func(t *testing.T) { testlapack.DtrtrsTest(t, gonum.Implementation{}) }},
	{"Iladlc", func(t *testing.T) { testlapack.IladlcTest(t, gonum.Implementation{}) }},
	{"Iladlr", func(t *testing.T) { testlapack.IladlrTest(t, gonum.Implementation{}) }},
}

var slowLapackSuites = []suite{
	{"Dgesvd", func(t *testing.T) {
		const tol = 1e-13 // as gonum has it
		testlapack.DgesvdTest(t, gonum.Implementation{}, tol)
	}},
	{"Dgeev", func(t *testing.T) { testlapack.DgeevTest(t, gonum.Implementation{}) }},
	{"Dlaqr04", func(t *testing.T) { testlapack.Dlaqr04Test(t, gonum.Implementation{}) }},
	{"Dlaqr23", func(t *testing.T) { testlapack.Dlaqr23Test(t, gonum.Implementation{}) }},
	{"Dormbr", func(t *testing.T) { testlapack.DormbrTest(t, gonum.Implementation{}) }},
}
