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

// saved writes data, in file order, as an array of the given shape. descr is "<f4", ">f4", "<f8" or ">f8", of complex numbers "<c8" and so on.
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
		for _, part := range []float64{dense.Real(x), dense.Imag(x)}[:realParts[T]()] {
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

// filesOf writes the integrals that arranged returns for an order of axes, those of a molecule of the sizes of m, in every layout and array order.
func filesOf[T dense.Scalar](t *testing.T, m molecule, descr string, arranged func(order string) Integrals[T]) []fileCase[T] {
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
		cases = append(cases, fileCase[T]{fmt.Sprintf("%s %s, Fortran order %v", layout, descr, fortran), path, file, memory})
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
func sameBits[T dense.Float](t *testing.T, m molecule, c fileCase[T], opt Options) {
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
			opt := Options{Precision: precision}
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
	want, err := Unrestricted(plain[float64](a), plain[float64](b), a.occ, b.occ, a.vir, b.vir, Options{})
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
			got, err := Unrestricted(sources[0], sources[1], a.occ, b.occ, a.vir, b.vir, Options{MaxBytes: limit})
			if err != nil || got != want {
				t.Errorf("limit %d: %+v, want %+v, %v", limit, got, want, err)
			}
		}
	}
}

// Runs longer and shorter than what is read one by one, and more periods than one read takes.
func TestGatheringReads(t *testing.T) {
	for _, s := range [][4]int{{40, 20, 700, 3}, {3, 9000, 40, 2}, {9, 7, 20000, 4}} {
		nocc, nvir, naux, width := s[0], s[1], s[2], s[3]
		for _, order := range []string{"Pia", "Pai", "aPi"} {
			if order == "Pai" && nocc == 3 {
				continue // as "aPi", only larger
			}
			data := make([]float32, nocc*nvir*naux)
			for n := range data {
				data[n] = float32(n)
			}
			layout, shape, fortran := LayoutAuxPair, []int{naux, nocc * nvir}, false
			switch order {
			case "Pai":
				layout, shape, fortran = LayoutIAP, []int{nocc, nvir, naux}, true
			case "aPi":
				layout, shape, fortran = LayoutIPA, []int{nocc, naux, nvir}, true
			}
			file, err := OpenIntegrals(saved(t, data, "<f4", fortran, shape), layout, nocc, nvir)
			if err != nil {
				t.Fatal(err)
			}
			op := operandOf[float32](file)
			got := make([]float32, width*nvir*naux)
			if err := op.loader.load(nil, 1, 1+width, got); err != nil {
				t.Fatal(err)
			}
			file.Close()
			// The array in memory, packed by the other loader.
			memory := Integrals[float32]{Nocc: nocc, Nvir: nvir, Naux: naux, Data: data}
			switch order {
			case "Pia":
				memory.StrideI, memory.StrideA, memory.StrideP = nvir, 1, nocc*nvir
			case "Pai":
				memory.StrideI, memory.StrideA, memory.StrideP = 1, nocc, nocc*nvir
			case "aPi":
				memory.StrideI, memory.StrideA, memory.StrideP = 1, nocc*naux, nocc
			}
			want := make([]float32, len(got))
			if err := (memoryLoader[float32, float32]{memory}).load(nil, 1, 1+width, want); err != nil {
				t.Fatal(err)
			}
			for n := range got {
				if got[n] != want[n] {
					t.Errorf("%v %s: element %d is %g, want %g", s, order, n, got[n], want[n])
					break
				}
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
	_, err = Restricted(file, m.occ, m.vir, Options{MaxBytes: 2 * 8 * 30})
	argument(t, "not a number", err, "B", "orbital 2")
	if err := os.Truncate(path, 500); err != nil {
		t.Fatal(err)
	}
	var format *npy.FormatError
	if r, err := Restricted(file, m.occ, m.vir, Options{}); !errors.As(err, &format) || r != (Result{}) {
		t.Errorf("shrunk file: %+v, %v", r, err)
	}
}

func TestCancelBetweenReads(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(49, 50)), 2, 3, 4)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range fileCases[float64](t, m, "<f8") {
		dst := make([]float64, 2*3*4)
		if err := operandOf[float64](c.file).loader.load(sched.NewTeam(ctx, 1, nil), 0, 2, dst); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// What was read before a change may not be mixed with what is read behind it.
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
			r, err := Unrestricted(c.file, b, m.occ, m.occ, m.vir, m.vir, Options{MaxBytes: 2 * 8 * 4 * 3})
			if !errors.As(err, &format) || !strings.Contains(err.Error(), "changed while it was read") || r != (Result{}) {
				t.Errorf("%s, %s: %+v, %v", name, c.name, r, err)
			}
		}
	}
}
