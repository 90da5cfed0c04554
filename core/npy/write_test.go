package npy

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// entries returns the names in a folder.
func entries(t *testing.T, folder string) []string {
	t.Helper()
	list, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

func TestWriterWritesWhatIsRead(t *testing.T) {
	for _, shape := range [][]int{{}, {7}, {0, 3}, {2, 3, 4}, {3, 1 << 16}} {
		folder := t.TempDir()
		path := filepath.Join(folder, "a.npy")
		w, err := Create(path, shape)
		if err != nil {
			t.Fatal(err)
		}
		size := 1
		for _, n := range shape {
			size *= n
		}
		want := make([]float64, size)
		for n := range want {
			want[n] = 1 / float64(n+1)
		}
		for at := 0; at < size; at += 1000 {
			if err := w.Write(want[at:min(size, at+1000)]); err != nil {
				t.Fatal(err)
			}
			if slices.Contains(entries(t, folder), "a.npy") {
				t.Fatal("an unfinished file has its name")
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, size)
		if err := ReadRun(f, got, 0); err != nil || !slices.Equal(got, want) || !slices.Equal(f.Shape,
			shape) || f.Kind != Float64 {
			t.Errorf("shape %v: read %v, %v", shape, f.Shape, err)
		}
		f.Close()
		if names := entries(t, folder); len(names) != 1 {
			t.Errorf("left: %v", names)
		}
	}
}

func TestWriterTakesTheLongestNames(t *testing.T) {
	folder := t.TempDir()
	const longest = 255 // bytes, of Linux's and other file systems
	name := strings.Repeat("n", longest)
	w, err := Create(filepath.Join(folder, name), []int{1})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write([]float64{1}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil || !slices.Equal(entries(t, folder), []string{name}) {
		t.Errorf("%v, left %v", err, entries(t, folder))
	}
	if _, err := Create(filepath.Join(folder, name+"n"), []int{1}); err == nil {
		t.Error("a name that no file can have")
	}
}

func TestWriterLeavesNothingUnfinished(t *testing.T) {
	folder := t.TempDir()
	w, err := Create(filepath.Join(folder, "a.npy"), []int{2, 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write([]float64{1, 2, 3}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil || len(entries(t, folder)) != 0 {
		t.Errorf("unfinished: %v, left %v", err, entries(t, folder))
	}
	// A write that fails: the file is closed behind the writer's back.
	w, err = Create(filepath.Join(folder, "a.npy"), []int{readBytes})
	if err != nil {
		t.Fatal(err)
	}
	w.file.Close()
	var failure *fs.PathError
	if err := w.Write(make([]float64, readBytes)); !errors.As(err, &failure) || failure.Path != w.path {
		t.Errorf("failed write: %v", err)
	}
	if err := w.Close(); !errors.As(err, &failure) || len(entries(t, folder)) != 0 {
		t.Errorf("after a failed write: %v, left %v", err, entries(t, folder))
	}
	if _, err := Create(filepath.Join(folder, "none", "a.npy"), []int{1}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no such folder: %v", err)
	}
	// A folder has the name.
	if err := os.MkdirAll(filepath.Join(folder, "taken", "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	if w, err = Create(filepath.Join(folder, "taken"), []int{0}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); !errors.As(err, &failure) || len(entries(t, folder)) != 1 {
		t.Errorf("the name is taken: %v, left %v", err, entries(t, folder))
	}
}
