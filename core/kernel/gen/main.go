//go:build ignore

// Generates the assembly of core/kernel with avo. It is run by `make generate` from the repository's root:
//
//	go run -modfile=tools/go.mod core/kernel/gen/*.go DIRECTORY
//
// which writes the gen_* files into DIRECTORY. avo is required by the tools module alone.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// What the generated files say about their origin.
var origin = printer.Config{Name: "avo", Argv: []string{"make", "generate", "(core/kernel/gen,", "avo)"}, Pkg: "kernel"}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: go run -modfile=tools/go.mod core/kernel/gen/*.go DIRECTORY")
	}
	dir := os.Args[1]
	avx512, avx2 := newFile(), newFile()
	for _, e := range []element{float64s, float32s} {
		gemmAVX512(avx512, e)
		gemmAVX2(avx2, e)
	}
	write(dir, "gen_avx512_amd64", compile(avx512))
	write(dir, "gen_avx2_amd64", compile(avx2))
	writeFile(dir, "gen_args_amd64.go", gemmBlock.source())
	writeVectors(dir)
	writePanels(dir)
	writeCouples(dir)
	writeReductions(dir)
	writeSimilarities(dir)
	writeSweeps(dir)
	writeSecular(dir)
	writeLanes(dir)
}

func newFile() *build.Context {
	ctx := build.NewContext()
	ctx.ConstraintExpr("amd64,!noasm")
	return ctx
}

func compile(ctx *build.Context) *ir.File {
	file, err := ctx.Result()
	check(err)
	check(pass.Compile.Execute(file))
	return file
}

// write prints the assembly of file and the Go declarations of its functions.
func write(dir, name string, file *ir.File) {
	assembly, err := printer.NewGoAsm(origin).Print(file)
	check(err)
	writeFile(dir, name+".s", assembly)
	stubs, err := printer.NewStubs(origin).Print(file)
	check(err)
	writeFile(dir, name+".go", stubs)
}

func writeFile(dir, name string, text []byte) {
	check(os.WriteFile(filepath.Join(dir, name), text, 0o644))
}

func check(err error) {
	if err != nil {
		log.Fatal(fmt.Errorf("core/kernel/gen: %w", err))
	}
}
