// Package tests_go holds tests that cross packages.
package tests_go

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// arrow is a line of the block of import arrows in docs/map.md: a package and those of ours that it may import; further
// lines of the same package are indented.
var arrow = regexp.MustCompile(`^([\w/]+) <-|^    `)

// mayImport reads, for each package of ours, the packages of ours that it may import directly. Whoever may import
// core/kernel may import the packages below it.
func mayImport(t *testing.T) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "docs", "map.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(text), "```arrows\n")
	block, _, closed := strings.Cut(block, "\n```\n")
	if !found || !closed {
		t.Fatal("docs/map.md has no block of import arrows")
	}
	table, name := map[string][]string{}, ""
	for line := range strings.SplitSeq(block, "\n") {
		match := arrow.FindStringSubmatch(line)
		if match == nil || match[1] == "" && name == "" {
			t.Fatalf("docs/map.md: %q is no arrow", line)
		}
		if match[1] != "" {
			name = match[1]
			table[name] = []string{}
		}
		if imports := strings.Fields(line[len(match[0]):]); !slices.Equal(imports, []string{"nothing"}) {
			table[name] = append(table[name], imports...)
		}
	}
	return table
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

// isKernelOf reports whether imported lies below core/kernel, which the package of that name may import.
func isKernelOf(name string, allowed []string, imported string) bool {
	return strings.HasPrefix(imported, "core/kernel/") && slices.Contains(allowed, "core/kernel") &&
		!strings.HasPrefix(name, "core/kernel/") && !strings.HasPrefix(name, "core/internal/")
}

func TestImportArrows(t *testing.T) {
	packages, mayImport := listPackages(t), mayImport(t)
	for name := range mayImport {
		if !slices.ContainsFunc(packages, func(p listedPackage) bool { return p.ImportPath == "trnsci/"+name }) {
			t.Errorf("docs/map.md has an arrow to %s, which go list does not find", name)
		}
	}
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, "trnsci/")
		allowed, known := mayImport[name]
		if !known {
			t.Errorf("%s is not in the table of import arrows", name)
			continue
		}
		for _, imported := range p.Imports {
			if ours, ok := strings.CutPrefix(imported, "trnsci/"); ok && !slices.Contains(allowed, ours) && !isKernelOf(name, allowed, ours) {
				t.Errorf("%s must not import %s", name, ours)
			}
			if imported == "C" && !mayUseCgo[name] {
				t.Errorf("%s must not use cgo", name)
			}
		}
	}
}

// Packages whose loops are those of a caller, or whose concurrency a test of another package reaches.
var comparesNoThreads = map[string]string{
	"core/householder":             "core/tridiag/reduce and core/schur compare threads",
	"core/internal/workspace":      "core/schur, core/hessenberg, core/reorder and core/eig compare threads",
	"core/stream":                  "core/mp2 and core/df compare threads",
	"core/mp2/internal/checkpoint": "core/mp2 compares threads",
	"core/sched":                   "runs under the race detector as a whole",
	"core/sched/schedtest":         "is imported by tests only",
	"core/numtest":                 "is imported by tests only",
}

// Under the race detector make test runs the tests of core with Threads in their names: each package that uses teams needs
// one.
func TestParallelPackagesCompareThreads(t *testing.T) {
	threads := regexp.MustCompile(`(?m)^func Test\w*Threads`)
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, "trnsci/")
		if !strings.HasPrefix(name, "core/") || !slices.Contains(p.Imports, "trnsci/core/sched") || comparesNoThreads[name] != "" {
			continue
		}
		files, err := filepath.Glob(filepath.Join("..", filepath.FromSlash(name), "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			return threads.Match(text)
		})
		if !found {
			t.Errorf("%s has no test with Threads in its name, which would run under the race detector", name)
		}
	}
}
