package main

import (
	"bytes"
	"go/format"
	"os"
	"testing"
)

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	calls, err := read("..")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{"../../../python/trnsci/_core/" + python: writePython(calls)}
	for _, s := range sources {
		if files["../"+s.decoders], err = format.Source(writeGo(calls, s.decoders)); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range files {
		found, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(found, want) {
			t.Errorf("%s differs from its generator's output: run make generate", path)
		}
	}
}

func TestSnakeCase(t *testing.T) {
	for name, want := range map[string]string{
		"CheckFinite": "check_finite", "A": "a", "DFFit": "df_fit", "InvSqrtSPD": "inv_sqrt_spd", "MP2Plan": "mp2_plan",
		"UpTo": "up_to",
	} {
		if got := snakeCase(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
