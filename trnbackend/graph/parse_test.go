package graph_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trnsci/trnbackend/graph"
)

// goldens returns the texts in testdata by the names of the files without their ending.
func goldens(t testing.TB) map[string]string {
	t.Helper()
	const ending = ".txt"
	files, err := filepath.Glob(filepath.Join("testdata", "*"+ending))
	if err != nil || len(files) == 0 {
		t.Fatalf("no file in testdata, error %v", err)
	}
	texts := map[string]string{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(filepath.Base(file), ending)] = string(text)
	}
	return texts
}

// checkRoundTrip requires that a graph is read from its text.
func checkRoundTrip(t *testing.T, g *graph.Graph) {
	t.Helper()
	again, err := graph.Parse(g.Text())
	switch {
	case err != nil:
		t.Errorf("%v in\n%s", err, g.Text())
	case again.Text() != g.Text() || again.Key() != g.Key():
		t.Errorf("\n%sis read as\n%s", g.Text(), again.Text())
	}
}

func TestParseReadsGoldenFiles(t *testing.T) {
	for name, text := range goldens(t) {
		g, err := graph.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if g.Text() != text {
			t.Errorf("%s: read as\n%s", name, g.Text())
		}
		checkRoundTrip(t, g)
	}
}

func TestParseBuilds(t *testing.T) {
	g, err := graph.Parse(`graph "a \"name\"\n"
%0 = constant s32[2] {1 2}
%1 = constant s32[2] {1 2}
%2 = add s32[2] %0 %1
%3 = parameter s32[2] "x"
%4 = multiply s32[2] %2 %3
result "y" %4
result "twice" %4
`)
	const want = `graph "a \"name\"\n"
%0 = constant s32[2] {2 4}
%1 = parameter s32[2] "x"
%2 = multiply s32[2] %0 %1
result "y" %2
result "twice" %2
`
	if err != nil || g.Text() != want {
		t.Errorf("error %v, %s", err, g.Text())
	}
}

func TestParseNamesTheLine(t *testing.T) {
	const head = "graph \"g\"\n%0 = parameter f32[2,3] \"x\"\n"
	for _, c := range []struct{ text, want string }{
		{"", `text of a graph, line 1: "graph " is missing before ""`},
		{"\n", `line 1: "graph "`},
		{"graph \"g\"", "line 1: no line feed at its end"},
		{"graph `g`\n", "line 1: a name in double quotes is missing before \"`g`\""},
		{"graph 'g'\n", "line 1: a name in double quotes"},
		{"graph \"g\n", "line 1: a name in double quotes"},
		{"graph \"g\" \n", `line 1: the end of the line is missing before " "`},
		{"graph \"g\"\n", "graph g has no result"},
		{`graph "\xff"` + "\n", "is not UTF-8"},
		{head + "%2 = negate f32[2,3] %0\n", `line 3: "%1 = " is missing before "%2 = neg`},
		{head + "%1 = nope f32[2,3] %0\n", `line 3: an operation is missing before "nope`},
		{head + "%1 = negate\n", `line 3: " " is missing before "negate"`},
		{head + "%1 = negate f16[2,3] %0\n", `line 3: a type is missing before "f16`},
		{head + "%1 = negate f32 %0\n", `line 3: "[" is missing`},
		{head + "%1 = negate f32[2,-3] %0\n", `line 3: an integer is missing before "-3`},
		{head + "%1 = negate f32[2,3,] %0\n", `line 3: an integer is missing before "] %0`},
		{head + "%1 = negate f32[2,3 %0\n", `line 3: "]" is missing before " %0`},
		{head + "%1 = negate f32[99999999999999999999] %0\n", "line 3: an integer is missing"},
		{head + "%1 = negate f32[2,3] %0 \n", "line 3: the end of the line is missing"},
		{head + "%1 = negate f32[2,3] %0 dims=[0]\n", `line 3: the end of the line is missing before " dims`},
		{head + "%1 = negate f32[3,2] %0\n", "graph g: negate at line 3: the shape is f32[2,3], not f32[3,2]"},
		{head + "%1 = convert s32[3,2] %0\n", "graph g: convert at line 3: the shape is s32[2,3], not s32[3,2]"},
		{head + "%1 = negate f32[2,3] %1\n", "negate at line 3: the operand %1 is not a node before this one"},
		{head + "%1 = negate f32[2,3]\n", "negate at line 3: 0 operands, not 1"},
		{head + "%1 = parameter f32[2,3] \"x\"\n", `parameter at line 3: the name "x" is taken`},
		{head + "%1 = parameter f32[2,3] \"y\" given\n", `line 3: the end of the line is missing before " given"`},
		{head + "%1 = constant f32[2] {1}\n", "constant at line 3: 1 elements for f32[2]"},
		{head + "%1 = constant f32[2] {1  2}\n", `line 3: a number of type f32 is missing before ""`},
		{head + "%1 = constant f32[2] {1 x}\n", `line 3: a number of type f32 is missing before "x"`},
		{head + "%1 = constant f32[2] {1 2\n", `line 3: "}" is missing before "1 2"`},
		{head + "%1 = constant f32[] {1e39}\n", "line 3: a number of type f32 is missing"},
		{head + "%1 = constant s32[] {1.5}\n", "constant at line 3: 1.5 is not a number of type s32"},
		{head + "%1 = constant pred[] {2}\n", "constant at line 3: 2 is not a number of type pred"},
		{head + "%1 = constant bf16[] {257}\n", "constant at line 3: 257 is not a number of type bf16"},
		{head + "%1 = compare pred[2,3] %0 %0 direction=XX\n", `line 3: a direction is missing before "XX"`},
		{head + "%1 = transpose f32[3,2] %0\n", `line 3: " dims=" is missing`},
		{head + "%1 = reduce-sum f32[] %0 dims=[1,0]\n",
			"reduce-sum at line 3: dimensions [1 0] of f32[2,3] do not increase"},
		{head + "result \"y\" %0\nresult \"z\" %1\n", `graph g: result at line 4: "z" is not a value of this graph`},
		{head + "result \"y\" %0\nresult \"y\" %0\n", `result at line 4: the name "y" is taken`},
		{head + "result \"y\" %0\n%1 = negate f32[2,3] %0\n", "line 4: a result is missing"},
		{head + "result \"y\" 0\n", `line 3: " %" is missing`},
	} {
		if _, err := graph.Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %s, of\n%s", err, c.want, c.text)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range goldens(f) {
		f.Add(text)
	}
	f.Add("graph \"g\"\n%0 = constant bf16[3] {NaN -Inf -0}\n%1 = reshape bf16[3,1] %0\nresult \"y\" %1\n")
	f.Add("graph \"g\"\n%0 = iota s32[0,281474976710656] dims=[0]\nresult \"y\" %0\n")
	f.Fuzz(func(t *testing.T, text string) {
		if g, err := graph.Parse(text); err == nil {
			checkRoundTrip(t, g)
		}
	})
}
