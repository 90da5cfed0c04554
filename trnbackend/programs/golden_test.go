package programs

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"trnsci/trnbackend/graph"
)

var rewrite = flag.Bool("rewrite", false, "write testdata anew instead of comparing with it")

// goldenPlans builds, for each file in testdata, the graph whose text it holds. The texts say that a change of the code changes a graph, and what
// in it, so that nobody changes one unawares; whether graphs are right is for the tests of their results. Sizes are the least that there are.
func goldenPlans() map[string]*graph.Graph {
	plans := map[string]*graph.Graph{}
	for _, p := range precisions {
		plans["gemm_"+string(p)] = must(PlanGemm(p, 1, 8, 8, 8, p == FP32, p == FP32, p == FP32)).Graph
		plans["syrk_"+string(p)] = must(PlanSyrk(p, 1, 8, 10, p == FP32, p == FP32)).Graph
	}
	const block, naux = 2, 8
	for name, kind := range map[string]mp2Kind{"closed_shell": closedShell, "same_spin": sameSpin, "opposite_spin": oppositeSpin} {
		nvir := [2]int{8, 8}
		if kind == oppositeSpin {
			nvir[1] = 10
		}
		for _, p := range []Precision{FP32, BF16x2} {
			plans["mp2_"+name+"_"+string(p)] = must(kind.build(p, block, nvir, naux))
		}
	}
	for _, p := range []Precision{FP32, BF16x2} {
		plans["newton_schulz_"+string(p)] = must((&InvSqrtPlan{Precision: p, N: 8, Steps: 1}).build())
	}
	return plans
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func TestGoldenTexts(t *testing.T) {
	plans := goldenPlans()
	for name, g := range plans {
		file := filepath.Join("testdata", name+".txt")
		if *rewrite {
			const everybodyReads = 0o644
			if err := os.WriteFile(file, []byte(g.Text()), everybodyReads); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if g.Text() != string(want) {
			t.Errorf("%s: the graph is\n%sand was\n%sif it should have changed: go test ./trnbackend/programs -run Golden -rewrite", name, g.Text(), want)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) != len(plans) {
		t.Errorf("%d files for %d graphs: %v", len(files), len(plans), err)
	}
}
