package pybind

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
	"unsafe"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/factor"
	"trnsci/core/sched"
	"trnsci/pybind/record"
)

// held keeps test arrays on the heap, where they do not move while only their addresses are known.
var held [][]float64

// described returns the part of a record that describes an array whose first element is data[offset], with strides that
// count elements.
func described(data []float64, offset int, shape, strides []int64) []int64 {
	held = append(held, data)
	words := []int64{int64(record.Float64), int64(uintptr(unsafe.Pointer(&data[0]))) + 8*int64(offset), int64(len(shape))}
	words = append(words, shape...)
	for _, s := range strides {
		words = append(words, 8*s)
	}
	return words
}

// absent describes an absent array.
var absent = []int64{-1}

// blasRecord returns a record of record.BLAS with described operands.
func blasRecord(a, b, c []int64) []int64 {
	words := make([]int64, 14)
	words[1], words[2], words[3] = 1, int64(blas.NoTrans), int64(blas.NoTrans)
	for _, operand := range [][]int64{a, b, c} {
		words = append(words, operand...)
	}
	words[0] = int64(len(words))
	return words
}

func address(words []int64) uint64 { return uint64(uintptr(unsafe.Pointer(&words[0]))) }

func arrayOf(t *testing.T, described []int64) *record.Array {
	t.Helper()
	c, err := record.Decode[record.BLAS](blasRecord(described, absent, absent))
	if err != nil {
		t.Fatal(err)
	}
	return c.A
}

func TestBatchFollowsStridesOfAnySign(t *testing.T) {
	data := make([]float64, 24)
	for i := range data {
		data[i] = float64(i)
	}
	// NumPy's arange(24).reshape(2, 3, 4)[::-1, :, ::-2]: shape (2, 3, 2).
	b := newBatch[float64](arrayOf(t, described(data, 15, []int64{2, 3, 2}, []int64{-12, 4, -2})))
	if b.count() != 2 || b.order() != 3 {
		t.Fatalf("count %d, order %d", b.count(), b.order())
	}
	for k, want := range [][][]float64{{{15, 13}, {19, 17}, {23, 21}}, {{3, 1}, {7, 5}, {11, 9}}} {
		v := b.at(k)
		for i := range want {
			for j := range want[i] {
				if v.At(i, j) != want[i][j] {
					t.Errorf("member %d (%d,%d): %v, want %v", k, i, j, v.At(i, j), want[i][j])
				}
			}
		}
	}
}

func TestEmptyArraysHaveNoMemory(t *testing.T) {
	if b := newBatch[float64](arrayOf(t, []int64{int64(record.Float64), 0, 3, 0, 3, 3, 72, 24, 8})); b.count() != 0 {
		t.Errorf("count %d", b.count())
	}
}

func TestErrorsCarryTheirKind(t *testing.T) {
	cases := map[string]error{
		"value":    &memberError{3, dense.BadArgument("a", "bad \xff\x00 text")},
		"canceled": context.Canceled,
		"memory":   &memoryError{"too much"},
		"internal": &sched.PanicError{Value: "x"},
		"linalg 3": &memberError{1, &factor.NotPositiveDefiniteError{Arg: "b", Order: 3}},
	}
	for want, err := range cases {
		text := encode(err).Error()
		parts := strings.SplitN(text, kindMark, 3)
		if len(parts) != 3 || parts[0] != "" || parts[1] != want {
			t.Errorf("%v: encoded as %q", err, text)
		}
		if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
			t.Errorf("%q is not valid for the interpreter", text)
		}
	}
	if text := encode(cases["value"]).Error(); !strings.Contains(text, "batch member 3") {
		t.Errorf("%q does not name the member", text)
	}
}

func TestGuardTurnsPanicsIntoErrors(t *testing.T) {
	_, err := JobWait(1<<40, 0)
	if err == nil || !strings.Contains(err.Error(), "internal") || !strings.Contains(err.Error(), "no job") {
		t.Errorf("got %v", err)
	}
}

func TestJobLifeCycle(t *testing.T) {
	const id = 1
	stepped, release := make(chan struct{}), make(chan struct{})
	if _, err := run(id, record.Team{Threads: 2}, func(team *sched.Team) (int64, error) {
		team = team.Plan(4)
		team.Step(3)
		close(stepped)
		<-release
		return 42, nil
	}); err != nil {
		t.Fatal(err)
	}
	if ended, _ := JobWait(id, 1); ended != 0 {
		t.Error("ended before it was released")
	}
	<-stepped
	done, _ := JobDone(id)
	total, _ := JobTotal(id)
	if total == 0 || 4*done != 3*total {
		t.Errorf("%d of %d steps after 3 of 4", done, total)
	}
	close(release)
	if ended, _ := JobWait(id, 10_000); ended != 1 {
		t.Error("not ended")
	}
	done, _ = JobDone(id)
	if value, err := JobResult(id); value != 42 || err != nil || done != total {
		t.Errorf("value %d, error %v, %d of %d steps at the end", value, err, done, total)
	}
	JobEnd(id)
	JobEnd(id)
	if len(jobs.jobs) != 0 {
		t.Errorf("%d jobs left", len(jobs.jobs))
	}
}

func TestJobEndWaitsForTheOperation(t *testing.T) {
	const id = 2
	ended := false
	run(id, record.Team{Threads: 1}, func(team *sched.Team) (int64, error) {
		for team.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		ended = true
		return 0, team.Err()
	})
	if _, err := JobEnd(id); err != nil || !ended {
		t.Errorf("error %v, ended %v", err, ended)
	}
}

func TestJobThatPanics(t *testing.T) {
	const id = 3
	defer JobEnd(id)
	run(id, record.Team{Threads: 1}, func(*sched.Team) (int64, error) { panic("broken") })
	JobWait(id, 10_000)
	if _, err := JobResult(id); err == nil || !strings.Contains(err.Error(), "broken") {
		t.Errorf("got %v", err)
	}
}

func TestForEachNamesTheMember(t *testing.T) {
	boom := errors.New("boom")
	err := forEach(sched.NewTeam(context.Background(), 2, nil), 5, func(_ *sched.Team, k int) error {
		if k == 3 {
			return boom
		}
		return nil
	})
	var member *memberError
	if !errors.As(err, &member) || member.member != 3 || !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	if err := forEach(nil, 1, func(*sched.Team, int) error { return boom }); err != boom {
		t.Errorf("a single matrix is called a batch member: %v", err)
	}
}

func TestReserveRefusesWhatDoesNotFit(t *testing.T) {
	var e *memoryError
	if err := reserve("eigh", 1<<60, 0); !errors.As(err, &e) || !strings.Contains(err.Error(), "eigh needs") {
		t.Errorf("got %v", err)
	}
	if err := reserve("eigh", minCheckedBytes, 0); err != nil {
		t.Errorf("64 MiB refused: %v", err)
	}
}
