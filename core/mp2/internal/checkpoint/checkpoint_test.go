package checkpoint

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"trnsci/core/dense"
	"trnsci/core/sched"
)

var (
	errStopped = errors.New("stopped")
	lists      = Lists{Pairs: []int{5, 0, 3}, Sums: []int{4}}
)

func job() Job {
	var j Job
	j.Add("nocc", 4)
	j.AddFingerprint("eps_occ", []float64{-1, -2})
	return j
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Open(path, job(), lists)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// kept writes a file with two pairs and a checksum.
func kept(t *testing.T) (path string, content []byte) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "checkpoint")
	f := open(t, path)
	for _, err := range []error{
		f.AddPair(0, 4, [3]float64{1, -2, 0.5}), f.AddSum(0, 2, 77, nil), f.AddPair(2, 1, [3]float64{3, 4, 5}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(errStopped); err != errStopped {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, content
}

func TestRecordsComeBack(t *testing.T) {
	path, content := kept(t)
	if want := len(job().header()) + 3*RecordBytes; len(content) != want {
		t.Fatalf("%d bytes, want %d", len(content), want)
	}
	f := open(t, path)
	got := map[[2]int][3]float64{}
	if err := f.EachPair(func(list, number int, x [3]float64) { got[[2]int{list, number}] = x }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[[2]int{0, 4}] != [3]float64{1, -2, 0.5} || got[[2]int{2, 1}] != [3]float64{3, 4, 5} {
		t.Errorf("%v", got)
	}
	if err := f.AddSum(0, 2, 77, nil); err != nil {
		t.Error(err)
	}
	err := f.AddSum(0, 2, 78, func() string { return "orbital 2" })
	var argument *dense.ArgumentError
	if !errors.As(err, &argument) || !strings.Contains(err.Error(), "orbital 2 is not what it was") {
		t.Error(err)
	}
	if err := f.Close(err); err != argument {
		t.Error(err)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, content) {
		t.Error("another input has changed the file")
	}
	if count, err := Count(path, job(), lists, 1); count != 1 || err != nil {
		t.Errorf("%d pairs in the first list, %v", count, err)
	}
}

// Files of calls that succeeded, or have no pairs, are removed.
func TestFilesThatAreRemoved(t *testing.T) {
	for _, result := range []error{nil, errStopped} {
		path := filepath.Join(t.TempDir(), "checkpoint")
		f := open(t, path)
		if result == nil {
			if err := f.AddPair(0, 0, [3]float64{}); err != nil {
				t.Fatal(err)
			}
		}
		if err := f.Close(result); err != result {
			t.Error(err)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("after %v: %v", result, err)
		}
	}
	var none *File
	if err := none.AddPair(0, 0, [3]float64{}); err != nil || none.Close(errStopped) != errStopped {
		t.Errorf("no checkpoint: %v", err)
	}
}

// If it can no longer be written, the call fails and the file keeps what it had.
func TestFileThatCannotBeWritten(t *testing.T) {
	path, content := kept(t)
	f := open(t, path)
	f.file.Close()
	var err error
	if f.file, err = os.Open(path); err != nil { // not for writing
		t.Fatal(err)
	}
	var failed *fs.PathError
	for range 2 { // the first failure stays
		if err := f.AddPair(0, 0, [3]float64{}); !errors.As(err, &failed) {
			t.Errorf("%v", err)
		}
	}
	if err := f.Close(errStopped); err != errStopped {
		t.Errorf("%v", err)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, content) {
		t.Error("the file was changed")
	}
}

// A record of a list that the job does not have, or behind its end, is damage.
func TestRecordsMustBeInTheirLists(t *testing.T) {
	path, content := kept(t)
	sum := checksum(0, job().header())
	for _, r := range []record{{list: 0, number: 5}, {list: 1}, {list: 4}, {list: 15}} {
		if err := os.WriteFile(path, r.append(bytes.Clone(content), sum), 0o600); err != nil {
			t.Fatal(err)
		}
		var argument *dense.ArgumentError
		if _, err := Open(path, job(), lists); !errors.As(err, &argument) || !strings.Contains(err.Error(),
			"damaged at byte") {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestSumIsTheCRCOfTheElements(t *testing.T) {
	m := dense.Matrix[float32]{Rows: 2, Cols: 2, Stride: 3, Data: []float32{1, 2, 9, 3, 4}}
	var data []byte
	for _, x := range []float32{1, 2, 3, 4} {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	if got, want := Sum(nil, m), crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli)); got != want {
		t.Errorf("%x, want %x", got, want)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := Sum(sched.NewTeam(ctx, 1, nil), m); got != 0 {
		t.Errorf("cancelled: %x", got)
	}
}
