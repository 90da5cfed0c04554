package main

import (
	"os"
	"testing"
)

func TestPythonHasTheNames(t *testing.T) {
	const file = "../../python/trnsci/_core/_names.py"
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if want := text(); string(got) != want {
		t.Errorf("%s is\n%snot\n%srun make generate", file, got, want)
	}
}
