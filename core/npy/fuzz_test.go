package npy

import (
	"bytes"
	"errors"
	"testing"
)

func FuzzOpen(f *testing.F) {
	f.Add(fileBytes(1, "'<f8'", "False", "(2, 3)", make([]byte, 48)))
	f.Add(fileBytes(2, "'>f4'", "True", "(3,)", make([]byte, 12)))
	f.Add(fileBytes(3, "'<f4'", "False", "()", make([]byte, 4)))
	f.Add(fileBytes(1, "[('a', '<f4')]", "False", "(0, 5)", nil))
	f.Add(fileBytes(1, "'|O'", "False", "(4294967296, 4294967296)", nil))
	f.Add([]byte("\x93NUMPY\x02\x00\xff\xff\xff\xff{}\n"))
	f.Fuzz(func(t *testing.T, content []byte) {
		file, err := newFile("fuzz", bytes.NewReader(content), int64(len(content)), func() error { return nil })
		if err != nil {
			var format *FormatError
			var dtype *DtypeError
			if !errors.As(err, &format) && !errors.As(err, &dtype) {
				t.Fatalf("untyped error %v", err)
			}
			return
		}
		// Whatever opens has all its elements, and its strides reach exactly the last one.
		dst := make([]float64, file.Len())
		if err := ReadRun(file, dst, 0); err != nil {
			t.Fatal(err)
		}
		last := int64(0)
		for axis, n := range file.Shape {
			last += int64((n - 1) * file.Strides[axis])
		}
		if file.Len() > 0 && last != file.Len()-1 {
			t.Fatalf("shape %v, strides %v, %d elements", file.Shape, file.Strides, file.Len())
		}
	})
}
