package tests_go

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// program is a whole Go program in a page, with what it prints in the block behind it, if there is one.
var program = regexp.MustCompile("(?s)```go\n(package main\n.*?)```\n(?:\n```\n(.*?)```\n)?")

// The programs of the pages for Go users run, without cgo, and print what the page says.
func TestProgramsOfPages(t *testing.T) {
	for _, page := range []string{"go.md", "gonum.md"} {
		text, err := os.ReadFile(filepath.Join("..", "docs", page))
		if err != nil {
			t.Fatal(err)
		}
		found := program.FindAllStringSubmatch(string(text), -1)
		if len(found) == 0 {
			t.Errorf("%s has no program", page)
		}
		for _, blocks := range found {
			file := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(file, []byte(blocks[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			run := exec.Command("go", "run", file)
			run.Dir = ".."
			run.Env = append(os.Environ(), "CGO_ENABLED=0")
			printed, err := run.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v\n%s", page, err, printed)
			}
			want := blocks[2]
			if want == "" { // in a comment
				_, comment, _ := strings.Cut(blocks[1], ") // ")
				want, _, _ = strings.Cut(comment, "\n")
			}
			if strings.TrimSpace(string(printed)) != strings.TrimSpace(want) {
				t.Errorf("%s prints\n%s\nnot\n%s", page, printed, want)
			}
		}
	}
}

// The example for Go users runs, without cgo.
func TestExample(t *testing.T) {
	run := exec.Command("go", "run", "./examples/go")
	run.Dir = ".."
	run.Env = append(os.Environ(), "CGO_ENABLED=0")
	printed, err := run.CombinedOutput()
	if want := "smallest eigenvalues: [0.000967 0.003869 0.008701]\northonormal: true\n"; err != nil ||
		string(printed) != want {
		t.Errorf("%v: it prints\n%s\nnot\n%s", err, printed, want)
	}
}

// A name in the table of packages and functions, with its package in the row.
var (
	tableRow = regexp.MustCompile("(?m)^\\| [^|`]*(?:\\\\\\|[^|`]*)*\\| ((?:`core/\\w+`(?:, )?)+) \\| (.*) \\|$")
	quoted   = regexp.MustCompile("`([\\w./]+)`")
)

// Every function and type that the page names is there: go doc has it.
func TestFunctionsOfThePageAreThere(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "docs", "go.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows := tableRow.FindAllStringSubmatch(string(text), -1)
	if len(rows) < 10 {
		t.Fatalf("%d rows", len(rows))
	}
	documented := map[string]string{} // by folder
	for _, row := range rows {
		folders := quoted.FindAllStringSubmatch(row[1], -1)
		for _, name := range quoted.FindAllStringSubmatch(row[2], -1) {
			folder, symbol := folders[0][1], name[1]
			if before, after, ok := strings.Cut(symbol, "."); ok && strings.Contains(row[1], "core/"+before+"`") {
				folder, symbol = "core/"+before, after
			}
			if documented[folder] == "" {
				output, err := exec.Command("go", "doc", "-all", "trnsci/"+folder).CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %s", folder, output)
				}
				documented[folder] = string(output)
			}
			if !isDocumented(documented[folder], symbol) {
				t.Errorf("%s has no %s", folder, symbol)
			}
		}
	}
}

// isDocumented reports whether the output of go doc has a function, a type, or a method Type.Name.
func isDocumented(output, symbol string) bool {
	form := `(?m)^(?:func|type) ` + symbol + `\b`
	if receiver, method, ok := strings.Cut(symbol, "."); ok {
		form = `(?m)^func \(\w+ \*?` + receiver + `(?:\[\w+\])?\) ` + method + `\b`
	}
	return regexp.MustCompile(form).MatchString(output)
}
