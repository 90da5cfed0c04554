package gonumblas

import (
	"bytes"
	"flag"
	"go/format"
	"os"
	"regexp"
	"strings"
	"testing"
)

var write = flag.Bool("write", false, "write the files of single precision anew")

// derivedMark stands in the first line of a file that is derived.
const derivedMark = "// Code generated from %s by derived_test.go; DO NOT EDIT.\n\n"

// TestSinglePrecisionIsDerived makes the methods for single precision from those for double precision, as gonum does.
func TestSinglePrecisionIsDerived(t *testing.T) {
	for _, c := range []struct {
		from, to string
		letters  *strings.Replacer // the beginnings of names that are not the letter of the type alone
		letter   string
	}{
		{"float64.go", "float32.go", strings.NewReplacer("Idamax", "Isamax"), "DS"},
		{"complex128.go", "complex64.go", strings.NewReplacer("Dz", "Sc", "Izamax", "Icamax"), "ZC"},
	} {
		source, err := os.ReadFile(c.from)
		if err != nil {
			t.Fatal(err)
		}
		types := strings.NewReplacer("float64", "float32", "complex128", "complex64", "real64", "real64",
			"gblas.Float64", "gblas.Float32", "gblas.Complex128", "gblas.Complex64")
		text := types.Replace(c.letters.Replace(string(source)))
		// Methods begin with the letter, and so do the words that comments name them by.
		method := regexp.MustCompile(`((?:\) |// |Implementation\.))` + c.letter[:1] + `([a-z])`)
		text = method.ReplaceAllString(text, "${1}"+c.letter[1:]+"$2")
		derived, err := format.Source([]byte(strings.Replace(derivedMark, "%s", c.from, 1) + text))
		if err != nil {
			t.Fatal(err)
		}
		if *write {
			if err := os.WriteFile(c.to, derived, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(c.to); err != nil || !bytes.Equal(have, derived) {
			const remedy = "go test ./core/blas/gonumblas -run Derived -write"
			t.Errorf("%s is not what %s makes, run %s (%v)", c.to, c.from, remedy, err)
		}
	}
}
