package df

import (
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/kernel"
	"trnsci/core/npy"
	"trnsci/core/sched"
	"trnsci/core/scratch"
)

// written returns the path of a .npy file.
func written(t *testing.T, data []float64, shape ...int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "l.npy")
	w, err := npy.Create(path, shape)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestUnpack(t *testing.T) {
	rng := rand.New(rand.NewPCG(19, 20))
	for _, set := range kernel.Sets() {
		for _, n := range []int{1, 2, 15, 16, 17, 33, 100} {
			lower, square := random[float64](rng, 1, PackedSize(n)).Data, random[float64](rng, n, n)
			unpack(set, lower, n, square.Data)
			for i := range n {
				for j := range n {
					if want := lower[PackedSize(max(i, j))+min(i, j)]; square.At(i, j) != want {
						t.Fatalf("%v, order %d: element (%d, %d) is %g, want %g", set, n, i, j, square.At(i, j), want)
					}
				}
			}
		}
	}
}

// Blocks come in order, each row once, with all of its elements, and no block is larger than the limit.
func TestBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	const naux, pairs, unit = 45, 10, 8
	l := random[float64](rng, naux, pairs)
	file, err := OpenPacked(written(t, l.Data, naux, pairs))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	function := PackedFunction{Naux: naux, Pairs: pairs, Load: func(_ *sched.Team, first, end int,
		dst []float64) error {
		copy(dst, l.Data[first*pairs:end*pairs])
		return nil
	}}
	for _, source := range []Source{file, function, Packed[float64]{l.View()}, Packed[float64]{l.View().T()}} {
		rows, cols := source.Shape()
		least := int64(min(unit, rows) * cols * wordBytes)
		for _, room := range []int64{least, 2 * least, 3*least + 1, 0} {
			blocks, err := Options{MaxBytes: room}.planBlocks(source, unit)
			if err != nil {
				t.Fatal(err)
			}
			if held := int64(blocks.Buffers * blocks.Width * cols * wordBytes); room > 0 && held > room {
				t.Errorf("blocks of %d bytes, the limit is %d", held, room)
			}
			var buffers []dense.Matrix[float64]
			scratch.Allocate(func(a *scratch.Arena) { buffers = takeBuffers(a, blocks, cols) })
			next := 0
			err = eachBlock(team(2), source, blocks, buffers, func(block dense.Matrix[float64], first int) error {
				if first != next || (blocks.Width%unit != 0 && blocks.Width != rows) {
					t.Errorf("block at row %d, want %d; %d rows", first, next, blocks.Width)
				}
				next += block.Rows
				for p := range block.Rows {
					for n, x := range block.Row(p) {
						want := l.Data[(first+p)*cols+n]
						if cols != pairs {
							want = l.At(n, first+p)
						}
						if x != want {
							t.Fatalf("row %d, element %d: %g, want %g", first+p, n, x, want)
						}
					}
				}
				return nil
			})
			if err != nil || next != rows {
				t.Errorf("%d of %d rows, %v", next, rows, err)
			}
		}
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	if _, err := OpenPacked(written(t, make([]float64, 24), 2, 3, 4)); err == nil || !strings.HasPrefix(err.Error(),
		"L: expected an array of shape") {
		t.Error(err)
	}
	const header = "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }"
	text := "\x93NUMPY\x01\x00" + string([]byte{118, 0}) + header + strings.Repeat(" ",
		117-len(header)) + "\n" + strings.Repeat("\x00", 48)
	path := filepath.Join(t.TempDir(), "f.npy")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenPacked(path); err == nil || !strings.Contains(err.Error(), "Fortran order") {
		t.Error(err)
	}
	if _, err := OpenPacked(filepath.Join(t.TempDir(), "none.npy")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestCheckFiniteNamesTheRow(t *testing.T) {
	rows := dense.New[float64](5, 3)
	if err := checkFinite(nil, rows, 40); err != nil {
		t.Error(err)
	}
	rows.Set(3, 2, math.Inf(1))
	rows.Set(4, 0, math.NaN())
	var argument *dense.ArgumentError
	if err := checkFinite(nil, rows, 40); !errors.As(err,
		&argument) || err.Error() != "L: contains infinities or NaNs, the first in row 43" {
		t.Error(err)
	}
}
