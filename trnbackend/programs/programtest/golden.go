package programtest

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"trnsci/trnbackend/graph"
)

var rewrite = flag.Bool("rewrite", false, "write testdata anew instead of comparing with it")

// Golden compares the texts of graphs with the files testdata/NAME.txt, of which there must be no others. The texts
// only detect changes: they show which graphs a change of the code changes, and what in them. Whether the graphs are
// right is for the tests of their results.
func Golden(t *testing.T, graphs map[string]*graph.Graph) {
	t.Helper()
	for name, g := range graphs {
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
			t.Errorf("%s: the graph is\n%sand was\n%sif the change is intended: go test -run Golden -rewrite", name,
				g.Text(), want)
		}
	}
	files, err := filepath.Glob(filepath.Join("testdata", "*.txt"))
	if err != nil || len(files) != len(graphs) {
		t.Errorf("%d files for %d graphs: %v", len(files), len(graphs), err)
	}
}

// Must returns x and panics for an error.
func Must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}
