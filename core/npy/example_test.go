package npy_test

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"trnsci/core/npy"
)

func ExampleOpen() {
	folder, err := os.MkdirTemp("", "npy")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "x.npy")
	// What numpy.save writes for numpy.array([[1.0, 2.0]], dtype="<f4"), without the padding.
	text := "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }\n"
	content := "\x93NUMPY\x01\x00" + string([]byte{byte(len(text)), 0}) + text + "\x00\x00\x80\x3f\x00\x00\x00\x40"
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		log.Fatal(err)
	}

	f, err := npy.Open(path)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	row := make([]float64, f.Len())
	if err := npy.ReadRun(f, row, 0); err != nil {
		log.Fatal(err)
	}
	fmt.Println(f.Shape, row)
	// Output: [1 2] [1 2]
}
