package main

import (
	"bytes"
	"os"
	"testing"
)

func TestGeneratedFilesAreUpToDate(t *testing.T) {
	calls, err := read("..")
	if err != nil {
		t.Fatal(err)
	}
	wanted, err := outputs(calls, "..", "../../../python/trnsci/_core")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range wanted {
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
