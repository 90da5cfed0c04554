package hlo

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/graphtest"
)

// subset has the opcodes that may be emitted: those that a compiler for Trainium is known to take.
var subset = strings.Fields(`
	add subtract multiply divide power maximum minimum and or xor not compare select convert exponential log sqrt
	sine cosine tanh atan2 negate abs ceil floor sign iota broadcast reshape transpose slice dynamic-update-slice
	concatenate pad reduce dot gather scatter tuple copy constant parameter`)

func opCases(t testing.TB) []graphtest.OpCase {
	t.Helper()
	cases, err := graphtest.OpCases()
	if err != nil {
		t.Fatal(err)
	}
	return cases
}

// encoded returns the module of a graph by way of its bytes.
func encoded(t testing.TB, g *graph.Graph) *Module {
	t.Helper()
	data, err := Encode(g)
	if err != nil {
		t.Fatal(err)
	}
	m, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestCasesHaveEveryOperation(t *testing.T) {
	cases := opCases(t)
	for _, op := range graph.Ops() {
		if len(graphtest.Has(cases, op)) == 0 {
			t.Errorf("no case has the operation %s", op)
		}
	}
}

func TestModuleHasEachNode(t *testing.T) {
	for _, c := range opCases(t) {
		t.Run(c.FileName(), func(t *testing.T) {
			m := encoded(t, c.Graph)
			checkStructure(t, m)
			checkNodes(t, c.Graph, m)
		})
	}
}

func TestModuleHasEachNodeOfRandomGraphs(t *testing.T) {
	types := []graph.DType{graph.F32, graph.BF16, graph.S32, graph.Pred, graph.F64}
	for seed := range uint64(300) {
		g := graphtest.Random(rand.New(rand.NewPCG(seed, 1)), graphtest.Limits{Nodes: 40, DTypes: types})
		m := encoded(t, g)
		checkStructure(t, m)
		checkNodes(t, g, m)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, g.Text())
		}
	}
}

func TestBytesAreTheSameEachTime(t *testing.T) {
	again := opCases(t)
	for i, c := range opCases(t) {
		first, err := Encode(c.Graph)
		if err != nil {
			t.Fatal(err)
		}
		second, err := Encode(again[i].Graph)
		if err != nil || !bytes.Equal(first, second) {
			t.Errorf("%s: two encodings differ (error %v)", c.Name, err)
		}
	}
}

// checkStructure checks what XLA requires of any module, and the subset of opcodes.
func checkStructure(t *testing.T, m *Module) {
	t.Helper()
	names, ids := map[string]bool{}, map[int]bool{}
	isNew := func(name string, id int) {
		if name == "" || names[name] || id <= 0 || ids[id] {
			t.Errorf("name %q or number %d is missing or taken", name, id)
		}
		names[name], ids[id] = true, true
	}
	computations := map[int]bool{}
	for _, c := range m.Computations {
		known, parameters := map[int]bool{}, 0
		for _, i := range c.Instructions {
			isNew(i.Name, i.ID)
			if !slices.Contains(subset, i.Opcode) {
				t.Errorf("opcode %s is not in the subset", i.Opcode)
			}
			for _, o := range i.Operands {
				if !known[o] {
					t.Errorf("%s has the operand %d, which is not before it", i.Name, o)
				}
			}
			for _, called := range i.Calls {
				if !computations[called] {
					t.Errorf("%s calls %d, which is not before it", i.Name, called)
				}
			}
			if i.Opcode == "parameter" {
				if i.Parameter != parameters || c.Program.Names[parameters] != i.Name ||
					!c.Program.Parameters[parameters].equal(i.Shape) {
					t.Errorf("parameter %s is not at its place in the program shape", i.Name)
				}
				parameters++
			}
			if i.ID == c.Root && !i.Shape.equal(c.Program.Result) {
				t.Errorf("the shape of root %s is not that of the program", i.Name)
			}
			known[i.ID] = true
		}
		if !known[c.Root] || len(c.Program.Parameters) != parameters {
			t.Errorf("computation %s lacks its root or has other parameters than its program shape", c.Name)
		}
		isNew(c.Name, c.ID)
		computations[c.ID] = true
	}
	entry := m.Computations[len(m.Computations)-1]
	if m.Name == "" || m.EntryID != entry.ID || m.EntryName != entry.Name ||
		!slices.Equal(m.Program.Names, entry.Program.Names) {
		t.Errorf("the last computation is not the entry, or the module has no name")
	}
}

func (s Shape) equal(t Shape) bool {
	return s.Array.Equal(t.Array) && (s.Tuple == nil) == (t.Tuple == nil) &&
		slices.EqualFunc(s.Tuple, t.Tuple, graph.Shape.Equal)
}

func TestReducersAreShared(t *testing.T) {
	b := graph.NewBuilder("sums")
	x := b.Parameter("x", graph.Of(graph.F32, 3, 4))
	b.Result("rows", b.ReduceSum(x, 1))
	b.Result("columns", b.ReduceSum(x, 0))
	b.Result("largest", b.ReduceMax(x, 0))
	b.Result("bf16", b.ReduceSum(b.Convert(x, graph.BF16), 0))
	b.Result("integers", b.ReduceSum(b.Convert(x, graph.S32), 0))
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, c := range encoded(t, g).Computations {
		names = append(names, c.Name)
	}
	if want := []string{"add_f32", "maximum_f32", "add_s32", "main"}; !slices.Equal(names, want) {
		t.Errorf("computations %v, not %v", names, want)
	}
}

func TestModuleNames(t *testing.T) {
	for name, want := range map[string]string{"": "graph", "pair energies/f32": "pair_energies_f32",
		"a-b.c_D9": "a-b.c_D9", "\xffä": "__"} {
		if got := moduleNameOf(name); got != want {
			t.Errorf("graph %q gives module %q, not %q", name, got, want)
		}
	}
}

func TestSizeIsLimited(t *testing.T) {
	const limit = 1<<31 - 1
	if err := checkSize("g", limit); err != nil {
		t.Error(err)
	}
	if err := checkSize("g", limit+1); err == nil || !strings.Contains(err.Error(), "graph g has 2147483648 bytes") {
		t.Errorf("error %v", err)
	}
}
