// Package tests_go holds tests that cross packages.
package tests_go

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// mayImport lists, for each package of ours, the packages of ours that it may import directly. What is not listed may
// import none. The groups are those of docs/map.md.
var mayImport = map[string][]string{
	"core/kernel": {},
	"core/dense":  {},
	"core/sched":  {},
	"core/sched/schedtest": {
		"core/sched",
	},
	"core/npy":         {},
	"core/scratch":     {"core/dense"},
	"core/blas":        {"core/kernel", "core/dense", "core/sched"},
	"core/factor":      {"core/kernel", "core/dense", "core/sched", "core/blas"},
	"core/householder": {"core/kernel", "core/dense", "core/sched", "core/blas"},
	"core/tridiag":     {"core/kernel", "core/dense", "core/sched", "core/blas"},
	"core/tridiag/reduce": {
		"core/kernel", "core/dense", "core/sched", "core/blas", "core/householder", "core/tridiag",
	},
	"core/eigen": {
		"core/kernel", "core/dense", "core/sched", "core/blas", "core/factor", "core/householder", "core/scratch",
		"core/tridiag", "core/tridiag/reduce",
	},
	"core/matfunc": {
		"core/kernel", "core/dense", "core/sched", "core/blas", "core/factor", "core/eigen", "core/schur", "core/sylvester", "core/scratch",
	},
	"core/schur":     {"core/dense", "core/kernel", "core/sched", "core/blas", "core/factor", "core/householder", "core/scratch"},
	"core/qz":        {"core/kernel", "core/dense", "core/sched", "core/blas", "core/householder"},
	"core/sylvester": {"core/dense", "core/sched", "core/blas", "core/factor", "core/schur"},
	"core/stream":    {"core/dense", "core/sched", "core/blas", "core/npy"},
	"core/df":        {"core/dense", "core/kernel", "core/sched", "core/blas", "core/factor", "core/eigen", "core/npy", "core/stream"},
	"core/mp2": {
		"core/precision", "core/dense", "core/kernel", "core/sched", "core/blas", "core/npy", "core/stream",
		"core/mp2/internal/checkpoint", "core/mp2/internal/denominators",
	},
	"core/mp2/internal/checkpoint":   {"core/dense", "core/sched"},
	"core/mp2/internal/denominators": {"core/dense"},
	"core/numtest":                   {"core/dense", "core/sched", "core/blas", "core/factor"},
	"pybind": {
		"core/kernel", "core/dense", "core/sched", "core/npy", "core/blas", "core/factor", "core/eigen", "core/schur", "core/sylvester",
		"core/qz", "core/matfunc", "core/mp2", "core/df",
		"core/precision", "trnbackend", "trnbackend/graph", "trnbackend/device", "trnbackend/programs/matmul", "trnbackend/programs/mp2",
		"trnbackend/programs/invsqrt", "trnbackend/programs/product", "trnbackend/programs/staging",
	},

	// Device programs and what runs them.
	"core/precision":              {},
	"trnbackend/graph":            {"core/precision"},
	"trnbackend":                  {"core/precision", "trnbackend/graph"},
	"trnbackend/interp":           {"core/blas", "core/dense", "core/sched", "trnbackend", "trnbackend/graph"},
	"trnbackend/graphtest":        {"trnbackend", "trnbackend/graph"},
	"trnbackend/compliance":       {"trnbackend", "trnbackend/graph", "trnbackend/graphtest"},
	"trnbackend/hlo":              {"trnbackend", "trnbackend/graph"},
	"trnbackend/pjrt":             {"trnbackend", "trnbackend/graph", "trnbackend/hlo"},
	"trnbackend/device":           {"trnbackend", "trnbackend/graph", "trnbackend/interp", "trnbackend/pjrt"},
	"trnbackend/programs/product": {"core/precision", "trnbackend", "trnbackend/graph"},
	"trnbackend/programs/staging": {"core/dense", "core/sched", "trnbackend", "trnbackend/graph", "trnbackend/device"},
	"trnbackend/programs/matmul": {
		"core/dense", "core/precision", "trnbackend", "trnbackend/graph", "trnbackend/device", "trnbackend/programs/product",
		"trnbackend/programs/staging",
	},
	"trnbackend/programs/mp2": {
		"core/dense", "core/mp2", "core/precision", "trnbackend", "trnbackend/graph", "trnbackend/device", "trnbackend/programs/product",
		"trnbackend/programs/staging",
	},
	"trnbackend/programs/invsqrt": {
		"core/blas", "core/dense", "core/precision", "trnbackend", "trnbackend/graph", "trnbackend/device",
		"trnbackend/programs/product", "trnbackend/programs/staging",
	},
	"trnbackend/pythonnames": {"core/precision", "trnbackend/device", "trnbackend/programs/product"},
	"trnbackend/programs/programtest": {
		"trnbackend", "trnbackend/graph", "trnbackend/interp", "trnbackend/device", "trnbackend/programs/staging",
	},
	"tests_go": {"trnbackend/graph"},
	"tests_go/hlocases": {
		"core/precision", "trnbackend", "trnbackend/graph", "trnbackend/graphtest", "trnbackend/hlo", "trnbackend/interp",
		"trnbackend/programs/matmul",
	},
}

// Only these packages may use cgo: a package with cgo cannot hold Go assembly.
var mayUseCgo = map[string]bool{"trnbackend/pjrt": true}

type listedPackage struct {
	ImportPath string
	Imports    []string
	CgoFiles   []string
}

func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,CgoFiles", "trnsci/core/...", "trnsci/trnbackend/...", "trnsci/pybind/...", "trnsci/tests_go/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var packages []listedPackage
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}

func TestImportArrows(t *testing.T) {
	packages := listPackages(t)
	if len(packages) < len(mayImport)-1 {
		t.Fatalf("go list found %d packages", len(packages))
	}
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, "trnsci/")
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("%s is not in the table of import arrows", name)
			continue
		}
		for _, imported := range p.Imports {
			if ours, ok := strings.CutPrefix(imported, "trnsci/"); ok && !slices.Contains(allowed, ours) {
				t.Errorf("%s must not import %s", name, ours)
			}
			if imported == "C" && !mayUseCgo[name] {
				t.Errorf("%s must not use cgo", name)
			}
		}
	}
}
