package mp2

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"trnsci/core/dense"
	"trnsci/core/npy"
	"trnsci/core/sched"
)

// Axis orders of the files of each layout, for C and for Fortran order.
var fileOrders = map[Layout][2]string{
	LayoutIAP: {"iaP", "Pai"}, LayoutPairAux: {"iaP", ""}, LayoutAuxPair: {"Pia", ""}, LayoutIPA: {"iPa", "aPi"},
}

// saved writes data, in file order, as an array of the given shape. descr is "<f4", ">f4", "<f8" or ">f8", of complex
// numbers "<c8" and so on.
func saved[T dense.Scalar](t *testing.T, data []T, descr string, fortran bool, shape []int) string {
	t.Helper()
	tuple := strings.ReplaceAll(strings.Trim(fmt.Sprint(shape), "[]"), " ", ", ")
	order := map[bool]string{false: "False", true: "True"}[fortran]
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n", descr, order, tuple)
	file := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), 0)
	file = append(file, text...)
	var bytes binary.AppendByteOrder = binary.LittleEndian
	if descr[0] == '>' {
		bytes = binary.BigEndian
	}
	for _, x := range data {
		for _, part := range []float64{dense.Real(x), dense.Imag(x)}[:dense.Parts[T]()] {
			if descr[1:] == "f4" || descr[1:] == "c8" {
				file = bytes.AppendUint32(file, math.Float32bits(float32(part)))
			} else {
				file = bytes.AppendUint64(file, math.Float64bits(part))
			}
		}
	}
	path := filepath.Join(t.TempDir(), "b.npy")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// fileCase is a file of a molecule and the same array in memory.
type fileCase[T dense.Scalar] struct {
	name   string
	path   string
	file   *FileIntegrals
	memory Integrals[T]
}

// fileCases writes m in every layout and array order.
func fileCases[T dense.Float](t *testing.T, m molecule, descr string) []fileCase[T] {
	t.Helper()
	return filesOf(t, m, descr, func(order string) Integrals[T] { return arrange[T](m, order, 0, false) })
}

// filesOf writes the integrals that arranged returns for an order of axes, those of a molecule of the sizes of m, in
// every layout and array order.
func filesOf[T dense.Scalar](t *testing.T, m molecule, descr string,
	arranged func(order string) Integrals[T]) []fileCase[T] {
	t.Helper()
	var cases []fileCase[T]
	add := func(layout Layout, fortran bool, order string) {
		memory := arranged(order)
		shape, _ := layout.shape(m.nocc, m.nvir, m.naux)
		path := saved(t, memory.Data, descr, fortran, shape)
		file, err := OpenIntegrals(path, layout, m.nocc, m.nvir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { file.Close() })
		cases = append(cases, fileCase[T]{fmt.Sprintf("%s %s, Fortran order %v", layout, descr, fortran), path, file,
			memory})
	}
	for layout, orders := range fileOrders {
		add(layout, false, orders[0])
		if orders[1] != "" {
			add(layout, true, orders[1])
		}
	}
	// In Fortran order the last index of a pair runs slower than the first one of the array, but i and a keep theirs.
	add(LayoutPairAux, true, "Pia")
	add(LayoutAuxPair, true, "iaP")
	return cases
}

// sameBits compares a file's results with those from memory under several limits.
func sameBits[T dense.Float](t *testing.T, m molecule, c fileCase[T], opt EnergyOptions) {
	t.Helper()
	want, err := Restricted(c.memory, m.occ, m.vir, opt)
	if err != nil {
		t.Fatal(err)
	}
	orbital := int64(m.nvir * m.naux * 8)
	for _, limit := range []int64{0, 2 * orbital, 4 * orbital, 5*orbital - 1} {
		opt.MaxBytes = limit
		got, err := Restricted(c.file, m.occ, m.vir, opt)
		if err != nil || got != want {
			t.Errorf("%s, precision %q, limit %d: %+v, want %+v, %v", c.name, opt.Precision, limit, got, want, err)
		}
	}
}

func TestFilesGiveTheBitsOfMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, s := range [][3]int{{5, 7, 11}, {1, 4, 3}, {4, 1, 5}, {3, 4, 1}, {2, 1, 1}} {
		m := randomMolecule(rng, s[0], s[1], s[2])
		for _, precision := range []Precision{PrecisionInput, PrecisionFP64, PrecisionMixed} {
			opt := EnergyOptions{Precision: precision}
			for _, descr := range []string{"<f4", ">f4"} {
				for _, c := range fileCases[float32](t, m, descr) {
					sameBits(t, m, c, opt)
				}
			}
			for _, descr := range []string{"<f8", ">f8"} {
				for _, c := range fileCases[float64](t, m, descr) {
					sameBits(t, m, c, opt)
				}
			}
		}
	}
}

func TestUnrestrictedFromFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	a, b := randomMolecule(rng, 5, 6, 7), randomMolecule(rng, 3, 8, 7)
	want, err := Unrestricted(plain[float64](a), plain[float64](b), a.occ, b.occ, a.vir, b.vir, EnergyOptions{})
	if err != nil {
		t.Fatal(err)
	}
	open := func(m molecule) *FileIntegrals {
		f, err := OpenIntegrals(saved(t, m.b, "<f8", false, []int{m.nocc, m.nvir, m.naux}), LayoutIAP, m.nocc, m.nvir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	fileA, fileB := open(a), open(b)
	for _, limit := range []int64{0, 8 * 2 * 8 * 7, 8 * 3 * 8 * 7, 8 * 5 * 8 * 7} {
		for _, sources := range [][2]Source{{fileA, fileB}, {plain[float64](a), fileB}, {fileA, plain[float64](b)}} {
			got, err := Unrestricted(sources[0], sources[1], a.occ, b.occ, a.vir, b.vir,
				EnergyOptions{Options: Options{MaxBytes: limit}})
			if err != nil || got != want {
				t.Errorf("limit %d: %+v, want %+v, %v", limit, got, want, err)
			}
		}
	}
}

func TestOpenIntegralsErrors(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(45, 46)), 2, 3, 4)
	path := saved(t, m.b, "<f8", false, []int{2, 3, 4})
	_, err := OpenIntegrals(path, "aiP", 2, 3)
	argument(t, "layout", err, "layout", "aiP")
	_, err = OpenIntegrals(path, LayoutIAP, 3, 3)
	argument(t, "nocc", err, "B", "(2, 3, 4)", "(nocc, nvir, naux)")
	_, err = OpenIntegrals(path, LayoutPairAux, 2, 3)
	argument(t, "axes", err, "B", "(2, 3, 4)", "(nocc*nvir, naux)")
	_, err = OpenIntegrals(filepath.Join(t.TempDir(), "none.npy"), LayoutIAP, 2, 3)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func([]byte) []byte{
		"truncated":      func(c []byte) []byte { return c[:len(c)-1] },
		"magic":          func(c []byte) []byte { c[0] = 'x'; return c },
		"object":         func(c []byte) []byte { return []byte(strings.Replace(string(c), "<f8", "|O8", 1)) },
		"huge shape":     func(c []byte) []byte { return []byte(strings.Replace(string(c), "2, 3, 4", "9999999", 1)) },
		"too short data": func(c []byte) []byte { return []byte(strings.Replace(string(c), "2, 3, 4", "2, 3, 9", 1)) },
	} {
		if err := os.WriteFile(path, change(append([]byte(nil), content...)), 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := OpenIntegrals(path, LayoutIAP, 2, 3)
		var format *npy.FormatError
		var dtype *npy.DtypeError
		if !errors.As(err, &format) && !errors.As(err, &dtype) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFileProblemsWhileReading(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(47, 48)), 4, 5, 6)
	m.b[2*30+7] = math.NaN()
	path := saved(t, m.b, "<f8", false, []int{4, 5, 6})
	file, err := OpenIntegrals(path, LayoutIAP, 4, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	_, err = Restricted(file, m.occ, m.vir, EnergyOptions{Options: Options{MaxBytes: 2 * 8 * 30}})
	argument(t, "not a number", err, "B", "orbital 2")
	if err := os.Truncate(path, 500); err != nil {
		t.Fatal(err)
	}
	var format *npy.FormatError
	if r, err := Restricted(file, m.occ, m.vir, EnergyOptions{}); !errors.As(err, &format) || r != (Result{}) {
		t.Errorf("shrunk file: %+v, %v", r, err)
	}
}

func TestCancelBetweenReads(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(49, 50)), 2, 3, 4)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range fileCases[float64](t, m, "<f8") {
		dst := make([]float64, 2*3*4)
		if err := newOperand[float64](c.file, "").reader.Read(sched.NewTeam(ctx, 1, nil), 0, 2, dst); !errors.Is(err,
			context.Canceled) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// Integrals read before and after a change must not be mixed.
func TestFileThatChangesDuringACall(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(50, 51)), 5, 4, 3)
	for name, change := range map[string]func(path string) error{
		"longer":  func(path string) error { return os.Truncate(path, 1<<20) },
		"touched": func(path string) error { return os.Chtimes(path, time.Time{}, time.Now().Add(time.Second)) },
	} {
		for _, c := range fileCases[float64](t, m, "<f8") {
			// The second spin's function changes the file of the first one, which is read again for the pairs of both.
			b, _ := counted[float64](m)
			load := b.Load
			b.Load = func(team *sched.Team, first, end int, dst []float64) error {
				if err := change(c.path); err != nil {
					return err
				}
				return load(team, first, end, dst)
			}
			var format *npy.FormatError
			r, err := Unrestricted(c.file, b, m.occ, m.occ, m.vir, m.vir,
				EnergyOptions{Options: Options{MaxBytes: 2 * 8 * 4 * 3}})
			if !errors.As(err, &format) || !strings.Contains(err.Error(),
				"changed while it was read") || r != (Result{}) {
				t.Errorf("%s, %s: %+v, %v", name, c.name, r, err)
			}
		}
	}
}

// counted returns the integrals of a molecule as a function, and how often each orbital was asked for.
func counted[T dense.Float](m molecule) (*FunctionIntegrals[T], []int) {
	asked, size := make([]int, m.nocc), m.nvir*m.naux
	return &FunctionIntegrals[T]{Nocc: m.nocc, Nvir: m.nvir, Naux: m.naux,
		Load: func(_ *sched.Team, first, end int, dst []T) error {
			for i := first; i < end; i++ {
				asked[i]++
				for n := range size {
					dst[(i-first)*size+n] = T(m.b[i*size+n])
				}
			}
			return nil
		}}, asked
}

func TestFunctionsGiveTheBitsOfMemory(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(61, 62)), 7, 9, 11)
	orbital := int64(9 * 11 * 8)
	for _, threads := range []int{1, 3} {
		for _, precision := range []Precision{PrecisionInput, PrecisionFP64, PrecisionMixed} {
			want, err := Restricted(plain[float64](m), m.occ, m.vir, EnergyOptions{Precision: precision})
			if err != nil {
				t.Fatal(err)
			}
			want32, err := Restricted(plain[float32](m), m.occ, m.vir, EnergyOptions{Precision: precision})
			if err != nil {
				t.Fatal(err)
			}
			for limit := 2 * orbital; limit <= 8*orbital; limit += orbital / 2 {
				opt := EnergyOptions{Options: Options{Team: team(threads), MaxBytes: limit}, Precision: precision}
				b, _ := counted[float64](m)
				b32, _ := counted[float32](m)
				if got, err := Restricted(b, m.occ, m.vir, opt); err != nil || got != want {
					t.Errorf("%s, limit %d: %+v, want %+v, %v", precision, limit, got, want, err)
				}
				if got, err := Restricted(b32, m.occ, m.vir, opt); err != nil || got != want32 {
					t.Errorf("%s of float32, limit %d: %+v, want %+v, %v", precision, limit, got, want32, err)
				}
			}
		}
	}
}

// A block that holds w orbitals stays while those before it stream past: orbital i is read once for its own block and
// once for every later block, which is the least for blocks of w.
func TestOrbitalsAreReadAsOftenAsNeeded(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(63, 64)), 20, 3, 4)
	const room = 7 // orbitals, two of which stream
	b, asked := counted[float64](m)
	if _, err := Restricted(b, m.occ, m.vir, EnergyOptions{Options: Options{MaxBytes: room * 3 * 4 * 8}}); err != nil {
		t.Fatal(err)
	}
	const stays = room - 2
	for i, n := range asked {
		if want := 1 + (m.nocc-1)/stays - i/stays; n != want {
			t.Errorf("orbital %d was asked for %d times, want %d", i, n, want)
		}
	}
}

func TestErrorsOfFunctions(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(65, 66)), 6, 3, 4)
	failed := errors.New("the disk is gone")
	for bad := range m.nocc {
		for _, room := range []int64{2, 4, 6} {
			b, _ := counted[float64](m)
			load := b.Load
			b.Load = func(team *sched.Team, first, end int, dst []float64) error {
				if first <= bad && bad < end {
					return failed
				}
				return load(team, first, end, dst)
			}
			if _, err := Restricted(b, m.occ, m.vir, EnergyOptions{Options: Options{Team: team(2),
				MaxBytes: room * 3 * 4 * 8}}); !errors.Is(err, failed) {
				t.Errorf("orbital %d, room for %d: %v", bad, room, err)
			}
		}
	}
}

// A panic in a function that is called ahead of time does not end the program.
func TestPanicWhileReadingAhead(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(67, 68)), 6, 3, 4)
	b, asked := counted[float64](m)
	load := b.Load
	b.Load = func(team *sched.Team, first, end int, dst []float64) error {
		if first == 1 && asked[1] > 0 {
			panic("no such orbital")
		}
		return load(team, first, end, dst)
	}
	var panicked *sched.PanicError
	if _, err := Restricted(b, m.occ, m.vir, EnergyOptions{Options: Options{MaxBytes: 4 * 3 * 4 * 8}}); !errors.As(err,
		&panicked) {
		t.Errorf("%v", err)
	}
}
