package tests_go

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"trnsci/trnbackend/graph"
)

// Each layer has a table of operations. A switch with cases for several operations would be a second one.
func TestNothingSwitchesOverOperations(t *testing.T) {
	const root, few = "../trnbackend", 2
	ops := opIdentifiers(t, filepath.Join(root, "graph", "op.go"))
	if len(ops) != len(graph.Ops()) {
		t.Fatalf("%d constants for %d operations", len(ops), len(graph.Ops()))
	}
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SwitchStmt); ok {
				if named := opsInCases(s, ops, file.Name.Name == "graph"); named > few {
					t.Errorf("%s: a switch names %d operations", files.Position(s.Pos()), named)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// opIdentifiers returns the names of the constants of type Op.
func opIdentifiers(t *testing.T, path string) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ops := map[string]bool{}
	for _, d := range file.Decls {
		group, ok := d.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST || len(group.Specs) < len(graph.Ops()) {
			continue
		}
		for _, s := range group.Specs {
			if name := s.(*ast.ValueSpec).Names[0].Name; ast.IsExported(name) {
				ops[name] = true
			}
		}
	}
	return ops
}

// opsInCases counts the operations that the cases of a switch name: graph.Add, or Add inside of package graph.
func opsInCases(s *ast.SwitchStmt, ops map[string]bool, inGraph bool) int {
	named := map[string]bool{}
	for _, clause := range s.Body.List {
		for _, e := range clause.(*ast.CaseClause).List {
			ast.Inspect(e, func(n ast.Node) bool {
				switch x := n.(type) {
				case *ast.SelectorExpr:
					if pkg, ok := x.X.(*ast.Ident); ok && pkg.Name == "graph" && ops[x.Sel.Name] {
						named[x.Sel.Name] = true
					}
					return false
				case *ast.Ident:
					if inGraph && ops[x.Name] {
						named[x.Name] = true
					}
				}
				return true
			})
		}
	}
	return len(named)
}
