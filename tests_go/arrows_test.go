// Package tests_go holds tests that cross packages.
package tests_go

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mapPage is the page with the block of import arrows.
var mapPage = filepath.Join("..", "docs", "map.md")

const mostColumns = 120 // of a line of the page

// arrowsOfMap returns the block of import arrows in docs/map.md.
func arrowsOfMap(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(mapPage)
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(text), "```arrows\n")
	block, _, closed := strings.Cut(block, "```\n")
	if !found || !closed {
		t.Fatal("docs/map.md has no block of import arrows")
	}
	return block
}

// arrowsOf writes the block for packages: each behind those that it imports, in the order of names where there is a
// choice, and broken into indented lines where it is long.
func arrowsOf(packages []listedPackage) string {
	imports := map[string][]string{}
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, modulePrefix)
		imports[name] = nil
		for _, imported := range p.Imports {
			if ours, ok := strings.CutPrefix(imported, modulePrefix); ok {
				imports[name] = append(imports[name], ours)
			}
		}
	}
	var block strings.Builder
	written := map[string]bool{}
	names := slices.Sorted(maps.Keys(imports))
	for len(written) < len(names) {
		next := slices.IndexFunc(names, func(name string) bool {
			return !written[name] && !slices.ContainsFunc(imports[name], func(i string) bool { return !written[i] })
		})
		name := names[next] // Go allows no cycles
		written[name] = true
		words := imports[name]
		if len(words) == 0 {
			words = []string{"nothing"}
		}
		line := name + " <-"
		for _, word := range words {
			if len(line)+1+len(word) > mostColumns {
				block.WriteString(line + "\n")
				line = "   "
			}
			line += " " + word
		}
		block.WriteString(line + "\n")
	}
	return block.String()
}

// Only these packages may use cgo: a package with cgo cannot hold Go assembly.
var mayUseCgo = map[string]bool{"trnbackend/pjrt": true}

const modulePrefix = "trnsci/"

type listedPackage struct {
	ImportPath string
	Imports    []string
	CgoFiles   []string
}

func listPackages(t *testing.T) []listedPackage {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,CgoFiles",
		"trnsci/core/...", "trnsci/trnbackend/...", "trnsci/pybind/...",
		"trnsci/tests_go/...").Output()
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

// The block of arrows is what the packages import: a new arrow is a change of the page, which a reader can judge.
func TestImportArrows(t *testing.T) {
	packages := listPackages(t)
	if want := arrowsOf(packages); arrowsOfMap(t) != want {
		t.Errorf("the import arrows of docs/map.md are not those of the code, which are\n%s", want)
	}
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, modulePrefix)
		if slices.Contains(p.Imports, "C") && !mayUseCgo[name] {
			t.Errorf("%s must not use cgo", name)
		}
		for _, imported := range p.Imports {
			if strings.HasPrefix(name, "core/") && strings.HasPrefix(imported, modulePrefix+"trnbackend") {
				t.Errorf("%s must not import %s: trnbackend may use core, never the other way", name, imported)
			}
		}
	}
}

// Packages whose loops are those of a caller, or whose concurrency a test of another package reaches.
var comparesNoThreads = map[string]string{
	"core/blas/gonumblas":          "core/blas compares threads",
	"core/internal/formtest":       "is imported by tests only",
	"core/householder":             "core/tridiag/reduce and core/schur compare threads",
	"core/internal/workspace":      "core/schur, core/hessenberg, core/reorder and core/eig compare threads",
	"core/stream":                  "core/mp2 and core/df compare threads",
	"core/mp2/internal/checkpoint": "core/mp2 compares threads",
	"core/sched":                   "runs under the race detector as a whole",
	"core/sched/schedtest":         "is imported by tests only",
	"core/numtest":                 "is imported by tests only",
}

// Under the race detector make test runs the tests of core with Threads in their names: each package that uses teams
// needs one.
func TestParallelPackagesCompareThreads(t *testing.T) {
	threads := regexp.MustCompile(`(?m)^func Test\w*Threads`)
	for _, p := range listPackages(t) {
		name := strings.TrimPrefix(p.ImportPath, modulePrefix)
		usesTeams := strings.HasPrefix(name, "core/") && slices.Contains(p.Imports, "trnsci/core/sched")
		if !usesTeams || comparesNoThreads[name] != "" {
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
