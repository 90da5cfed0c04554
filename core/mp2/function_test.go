package mp2

import (
	"errors"
	"math/rand/v2"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

// counted returns the integrals of a molecule as a function, and how often each orbital was asked for.
func counted[T dense.Float](m molecule) (*FunctionIntegrals[T], []int) {
	asked, size := make([]int, m.nocc), m.nvir*m.naux
	return &FunctionIntegrals[T]{Nocc: m.nocc, Nvir: m.nvir, Naux: m.naux, Load: func(_ *sched.Team, first, end int, dst []T) error {
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
			want, err := Restricted(plain[float64](m), m.occ, m.vir, Options{Precision: precision})
			if err != nil {
				t.Fatal(err)
			}
			want32, err := Restricted(plain[float32](m), m.occ, m.vir, Options{Precision: precision})
			if err != nil {
				t.Fatal(err)
			}
			for limit := 2 * orbital; limit <= 8*orbital; limit += orbital / 2 {
				opt := Options{Team: team(threads), Precision: precision, MaxBytes: limit}
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

// A block that holds w orbitals stays while those before it stream past: orbital i is read once for its own block and once for every
// block behind it, which is the least for blocks of w.
func TestOrbitalsAreReadAsOftenAsNeeded(t *testing.T) {
	m := randomMolecule(rand.New(rand.NewPCG(63, 64)), 20, 3, 4)
	const room = 7 // orbitals, two of which stream
	b, asked := counted[float64](m)
	if _, err := Restricted(b, m.occ, m.vir, Options{MaxBytes: room * 3 * 4 * 8}); err != nil {
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
			if _, err := Restricted(b, m.occ, m.vir, Options{Team: team(2), MaxBytes: room * 3 * 4 * 8}); !errors.Is(err, failed) {
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
	if _, err := Restricted(b, m.occ, m.vir, Options{MaxBytes: 4 * 3 * 4 * 8}); !errors.As(err, &panicked) {
		t.Errorf("%v", err)
	}
}
