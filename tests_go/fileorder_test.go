package tests_go

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	mostFiles     = 30  // of a package, tests among them
	mostLines     = 400 // of a file that is written by hand
	orderedShare  = 20  // of so many references between files, fewer than one may run against the order of the files
	generatedMark = "gen_"
)

// sourcePackage is what go list tells about a package.
type sourcePackage struct {
	Dir, ImportPath, Export                      string
	GoFiles, CgoFiles, TestGoFiles, XTestGoFiles []string
	IgnoredGoFiles                               []string
}

// sourcePackages returns the packages of this module, and the files with the exported names of these and all that they
// import.
func sourcePackages(t *testing.T) (ours []sourcePackage, exports map[string]string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-export",
		"-json=Dir,ImportPath,Export,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,IgnoredGoFiles",
		"trnsci/core/...", "trnsci/trnbackend/...", "trnsci/pybind/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports = map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p sourcePackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return ours, exports
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if strings.HasPrefix(p.ImportPath, "trnsci/") {
			ours = append(ours, p)
		}
	}
}

// references returns, for each file of a package, the other files whose functions, methods, types, variables and
// constants it names.
func references(t *testing.T, p sourcePackage, exports map[string]string) map[string]map[string]bool {
	t.Helper()
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	lookup := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	info := types.Info{Uses: map[*ast.Ident]types.Object{}}
	// A package with cgo has names that only cgo knows: the rest of it is looked at all the same.
	config := types.Config{Importer: importer.ForCompiler(fset, "gc", lookup), FakeImportC: true, Error: func(error) {}}
	checked, err := config.Check(p.ImportPath, fset, files, &info)
	if err != nil && len(p.CgoFiles) == 0 {
		t.Fatal(err)
	}
	fileOf := func(at token.Pos) string { return filepath.Base(fset.Position(at).Filename) }
	uses := map[string]map[string]bool{}
	for ident, object := range info.Uses {
		if function, ok := object.(*types.Func); ok {
			object = function.Origin()
		}
		variable, _ := object.(*types.Var)
		isMember := variable != nil && object.Parent() != checked.Scope()
		from, to := fileOf(ident.Pos()), fileOf(object.Pos())
		if object.Pkg() != checked || isMember || from == to || object.Pos() == token.NoPos {
			continue
		}
		_, isMethod := object.(*types.Func)
		if object.Parent() != checked.Scope() && !isMethod {
			continue
		}
		if uses[from] == nil {
			uses[from] = map[string]bool{}
		}
		uses[from][to] = true
	}
	return uses
}

// against returns the references that run against an order of the files, as few as local changes of the order reach.
func against(uses map[string]map[string]bool) (back []string, total int) {
	var order []string
	for from, to := range uses {
		order = append(order, from)
		total += len(to)
		for name := range to {
			if uses[name] == nil && !slices.Contains(order, name) {
				order = append(order, name)
			}
		}
	}
	slices.Sort(order)
	order = slices.Compact(order)
	gain := func(a, b string) int { // by standing a in front of b
		switch {
		case uses[a][b] && !uses[b][a]:
			return 1
		case uses[b][a] && !uses[a][b]:
			return -1
		}
		return 0
	}
	for moved := true; moved; {
		moved = false
		for i := range order {
			best, place, sum := 0, i, 0
			for j := i - 1; j >= 0; j-- {
				if sum += gain(order[i], order[j]); sum > best {
					best, place = sum, j
				}
			}
			sum = 0
			for j := i + 1; j < len(order); j++ {
				if sum += gain(order[j], order[i]); sum > best {
					best, place = sum, j
				}
			}
			if best > 0 {
				file := order[i]
				order = slices.Insert(slices.Delete(order, i, i+1), place, file)
				moved = true
			}
		}
	}
	for i, to := range order {
		for _, from := range order[i+1:] {
			if uses[from][to] {
				back = append(back, fmt.Sprintf("%s -> %s", from, to))
			}
		}
	}
	return back, total
}

// Files of a package have an order in which nearly every file names only what those behind it declare.
func TestFilesOfPackagesHaveAnOrder(t *testing.T) {
	packages, exports := sourcePackages(t)
	for _, p := range packages {
		back, total := against(references(t, p, exports))
		t.Logf("%-40s %3d references between files, %d against the order", p.ImportPath, total, len(back))
		if len(back)*orderedShare >= total && len(back) > 0 {
			t.Errorf("%s: %d of %d references run against the order of the files: %s", p.ImportPath, len(back), total,
				strings.Join(back, ", "))
		}
	}
}

func TestSizesOfPackagesAndFiles(t *testing.T) {
	packages, _ := sourcePackages(t)
	for _, p := range packages {
		names := slices.Concat(p.GoFiles, p.CgoFiles, p.TestGoFiles, p.XTestGoFiles, p.IgnoredGoFiles)
		if len(names) > mostFiles {
			t.Errorf("%s has %d files, more than %d", p.ImportPath, len(names), mostFiles)
		}
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if lines := strings.Count(string(text), "\n"); lines > mostLines && !strings.HasPrefix(name, generatedMark) {
				t.Errorf("%s: %s has %d lines, more than %d", p.ImportPath, name, lines, mostLines)
			}
		}
	}
}
