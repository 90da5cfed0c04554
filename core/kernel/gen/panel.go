//go:build ignore

package main

// writePanels writes the kernels of panels and their arguments.
func writePanels(dir string) {
	avx2 := newFile()
	for _, e := range []element{float64s, float32s} {
		s := vectorSet{Context: avx2, element: e, vectorBytes: 32, registers: ymm}
		s.transpose()
	}
	write(dir, "gen_panel_avx2_amd64", compile(avx2))
	writeFile(dir, "gen_transpose_args_amd64.go", transposeBlock.source())
}
