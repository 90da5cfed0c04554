package gonumblas

import (
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/blas/testblas"

	"trnsci/core/blas"
	"trnsci/core/dense"
)

type namedTest struct {
	name string
	run  func(*testing.T)
}

// TestSuites runs gonum's own tests of float64 and complex128 BLAS implementations.
func TestSuites(t *testing.T) {
	ours := New()
	for _, suite := range []namedTest{
		{"Dasum", func(t *testing.T) { testblas.DasumTest(t, ours) }},
		{"Daxpy", func(t *testing.T) { testblas.DaxpyTest(t, ours) }},
		{"Dcopy", func(t *testing.T) { testblas.DcopyTest(t, ours) }},
		{"Idamax", func(t *testing.T) { testblas.IdamaxTest(t, ours) }},
		{"Ddot", func(t *testing.T) { testblas.DdotTest(t, ours) }},
		{"Dgbmv", func(t *testing.T) { testblas.DgbmvTest(t, ours) }},
		{"Dgemm", func(t *testing.T) { testblas.TestDgemm(t, ours) }},
		{"Dgemv", func(t *testing.T) { testblas.DgemvTest(t, ours) }},
		{"Dger", func(t *testing.T) { testblas.DgerTest(t, ours) }},
		{"Dnrm2", func(t *testing.T) { testblas.Dnrm2Test(t, ours) }},
		{"Drot", func(t *testing.T) { testblas.DrotTest(t, ours) }},
		{"Drotm", func(t *testing.T) { testblas.DrotmTest(t, ours) }},
		{"Drotmg", func(t *testing.T) { testblas.DrotmgTest(t, ours) }},
		{"Dsbmv", func(t *testing.T) { testblas.DsbmvTest(t, ours) }},
		{"Dscal", func(t *testing.T) { testblas.DscalTest(t, ours) }},
		{"Dspmv", func(t *testing.T) { testblas.DspmvTest(t, ours) }},
		{"Dspr", func(t *testing.T) { testblas.DsprTest(t, ours) }},
		{"Dspr2", func(t *testing.T) { testblas.Dspr2Test(t, ours) }},
		{"Dswap", func(t *testing.T) { testblas.DswapTest(t, ours) }},
		{"Dsymm", func(t *testing.T) { testblas.DsymmTest(t, ours) }},
		{"Dsymv", func(t *testing.T) { testblas.DsymvTest(t, ours) }},
		{"Dsyr", func(t *testing.T) { testblas.DsyrTest(t, ours) }},
		{"Dsyr2", func(t *testing.T) { testblas.Dsyr2Test(t, ours) }},
		{"Dsyr2k", func(t *testing.T) { testblas.Dsyr2kTest(t, ours) }},
		{"Dsyrk", func(t *testing.T) { testblas.DsyrkTest(t, ours) }},
		{"Dtbmv", func(t *testing.T) { testblas.DtbmvTest(t, ours) }},
		{"Dtbsv", func(t *testing.T) { testblas.DtbsvTest(t, ours) }},
		{"Dtpmv", func(t *testing.T) { testblas.DtpmvTest(t, ours) }},
		{"Dtpsv", func(t *testing.T) { testblas.DtpsvTest(t, ours) }},
		{"Dtrmm", func(t *testing.T) { testblas.DtrmmTest(t, ours) }},
		{"Dtrmv", func(t *testing.T) { testblas.DtrmvTest(t, ours) }},
		{"Dtrsm", func(t *testing.T) { testblas.DtrsmTest(t, ours) }},
		{"Dtrsv", func(t *testing.T) { testblas.DtrsvTest(t, ours) }},
		{"Dtxmv", func(t *testing.T) { testblas.DtxmvTest(t, ours) }},
		// gonum's extreme values are those of its own Rotg; skipExtreme is false there too
		{"Drotg", func(t *testing.T) { testblas.DrotgTest(t, ours, false) }},
		{"Zaxpy", func(t *testing.T) { testblas.ZaxpyTest(t, ours) }},
		{"Zcopy", func(t *testing.T) { testblas.ZcopyTest(t, ours) }},
		{"Zdotc", func(t *testing.T) { testblas.ZdotcTest(t, ours) }},
		{"Zdotu", func(t *testing.T) { testblas.ZdotuTest(t, ours) }},
		{"Zdscal", func(t *testing.T) { testblas.ZdscalTest(t, ours) }},
		{"Zgbmv", func(t *testing.T) { testblas.ZgbmvTest(t, ours) }},
		{"Zgemm", func(t *testing.T) { testblas.ZgemmTest(t, ours) }},
		{"Zgemv", func(t *testing.T) { testblas.ZgemvTest(t, ours) }},
		{"Zgerc", func(t *testing.T) { testblas.ZgercTest(t, ours) }},
		{"Zgeru", func(t *testing.T) { testblas.ZgeruTest(t, ours) }},
		{"Zhbmv", func(t *testing.T) { testblas.ZhbmvTest(t, ours) }},
		{"Zhemm", func(t *testing.T) { testblas.ZhemmTest(t, ours) }},
		{"Zhemv", func(t *testing.T) { testblas.ZhemvTest(t, ours) }},
		{"Zher", func(t *testing.T) { testblas.ZherTest(t, ours) }},
		{"Zher2", func(t *testing.T) { testblas.Zher2Test(t, ours) }},
		{"Zher2k", func(t *testing.T) { testblas.Zher2kTest(t, ours) }},
		{"Zherk", func(t *testing.T) { testblas.ZherkTest(t, ours) }},
		{"Zhpmv", func(t *testing.T) { testblas.ZhpmvTest(t, ours) }},
		{"Zhpr", func(t *testing.T) { testblas.ZhprTest(t, ours) }},
		{"Zhpr2", func(t *testing.T) { testblas.Zhpr2Test(t, ours) }},
		{"Zscal", func(t *testing.T) { testblas.ZscalTest(t, ours) }},
		{"Zswap", func(t *testing.T) { testblas.ZswapTest(t, ours) }},
		{"Zsymm", func(t *testing.T) { testblas.ZsymmTest(t, ours) }},
		{"Zsyr2k", func(t *testing.T) { testblas.Zsyr2kTest(t, ours) }},
		{"Zsyrk", func(t *testing.T) { testblas.ZsyrkTest(t, ours) }},
		{"Ztbmv", func(t *testing.T) { testblas.ZtbmvTest(t, ours) }},
		{"Ztbsv", func(t *testing.T) { testblas.ZtbsvTest(t, ours) }},
		{"Ztpmv", func(t *testing.T) { testblas.ZtpmvTest(t, ours) }},
		{"Ztpsv", func(t *testing.T) { testblas.ZtpsvTest(t, ours) }},
		{"Ztrmm", func(t *testing.T) { testblas.ZtrmmTest(t, ours) }},
		{"Ztrmv", func(t *testing.T) { testblas.ZtrmvTest(t, ours) }},
		{"Ztrsm", func(t *testing.T) { testblas.ZtrsmTest(t, ours) }},
		{"Ztrsv", func(t *testing.T) { testblas.ZtrsvTest(t, ours) }},
		{"Izamax", func(t *testing.T) { testblas.IzamaxTest(t, ours) }},
		{"Dzasum", func(t *testing.T) { testblas.DzasumTest(t, ours) }},
		{"Dznrm2", func(t *testing.T) { testblas.Dznrm2Test(t, ours) }},
	} {
		t.Run(suite.name, suite.run)
	}
}

// TestConcurrentCalls has several goroutines share the adapters: each result is bitwise that of a call alone.
func TestConcurrentCalls(t *testing.T) {
	const n, callers = 180, 4 // 180^3 multiplications are worth more than one thread
	rng := rand.New(rand.NewPCG(41, 5))
	a, b := dense.New[float64](n, n), dense.New[float64](n, n)
	for i := range a.Data {
		a.Data[i], b.Data[i] = rng.NormFloat64(), rng.NormFloat64()
	}
	for i := range n {
		a.Set(i, i, n) // for solutions of moderate size
	}
	ours := New()
	compute := func() []float64 {
		c, d, x := dense.New[float64](n, n), b.Clone(), make([]float64, n)
		ours.Dgemm(blas.NoTrans, blas.Trans, n, n, n, 1, a.Data, a.Stride, b.Data, b.Stride, 0, c.Data, c.Stride)
		ours.Dsyrk(blas.Lower, blas.NoTrans, n, n, 1, b.Data, b.Stride, 1, c.Data, c.Stride)
		ours.Dtrsm(blas.Left, blas.Upper, blas.NoTrans, blas.NonUnit, n, n, 1, a.Data, a.Stride, d.Data, d.Stride)
		ours.Dgemv(blas.Trans, n, n, 1, c.Data, c.Stride, d.Data, 1, 0, x, 1)
		return slices.Concat(c.Data, d.Data, x)
	}
	want := compute()
	results := make([][]float64, callers)
	var wg sync.WaitGroup
	for k := range callers {
		wg.Go(func() { results[k] = compute() })
	}
	wg.Wait()
	for k, got := range results {
		if !slices.Equal(got, want) {
			t.Errorf("caller %d got another result than a call alone", k)
		}
	}
}
