package x86

import (
	"bytes"
	"fmt"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
)

// Package is a Go package that gets generated files:
//
//	gen_args.go             blocks of arguments
//	gen_avx2_amd64.s, .go   kernels for AVX2 and their declarations; the same for AVX-512
//	gen_dispatch_amd64.go   functions that choose a kernel by instruction set and element type
//	gen_dispatch_none.go    the same where there is no assembly: they panic
//
// and others that Declare adds.
type Package struct {
	folder       string // from the repository's root
	avx2, avx512 *build.Context
	blocks       []*Block
	dispatchers  []*dispatcher
	declarations map[string]string
}

// NewPackage returns a package without files.
func NewPackage(folder string) *Package {
	return &Package{folder: folder, avx2: newContext(), avx512: newContext(), declarations: map[string]string{}}
}

func newContext() *build.Context {
	ctx := build.NewContext()
	ctx.ConstraintExpr("amd64,!noasm")
	return ctx
}

// AVX512 returns the set that generates for AVX-512 and the element type.
func (p *Package) AVX512(e Element) Set {
	return Set{Context: p.avx512, Element: e, VectorBytes: 64, Registers: zmm, Wide: true, target: p}
}

// AVX2 returns the set that generates for AVX2 and the element type.
func (p *Package) AVX2(e Element) Set {
	return Set{Context: p.avx2, Element: e, VectorBytes: 32, Registers: ymm, target: p}
}

// AVX2Half returns the set for the instructions of AVX2 on vectors of 16 bytes.
func (p *Package) AVX2Half(e Element) Set {
	return Set{Context: p.avx2, Element: e, VectorBytes: 16, Registers: xmm, target: p}
}

// Sets returns the sets of both instruction sets for both element types.
func (p *Package) Sets() []Set {
	return []Set{p.AVX512(Float64), p.AVX2(Float64), p.AVX512(Float32), p.AVX2(Float32)}
}

// AddBlock declares a block of arguments that no kernel of the package has, or has yet.
func (p *Package) AddBlock(b *Block) {
	if !slices.Contains(p.blocks, b) {
		p.blocks = append(p.blocks, b)
	}
}

// Declare adds a file with Go declarations, which need no imports.
func (p *Package) Declare(file, text string) { p.declarations[file] = text }

// Name returns the name of the package.
func (p *Package) Name() string { return path.Base(p.folder) }

const assemblyConstraint = "//go:build amd64 && !noasm\n\n"

// Write writes the files of the package below root.
func (p *Package) Write(root string) error {
	folder := filepath.Join(root, filepath.FromSlash(p.folder))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	put := func(name string, text []byte) error { return os.WriteFile(filepath.Join(folder, name), text, 0o644) }
	putGo := func(name, constraint, text string) error {
		source := fmt.Sprintf("// %s\n\n%spackage %s\n\n%s%s", p.origin().GeneratedWarning(), constraint, p.Name(),
			imports(text), text)
		formatted, err := format.Source([]byte(source))
		if err != nil {
			return fmt.Errorf("%s/%s: %w", p.folder, name, err)
		}
		return put(name, formatted)
	}
	var blocks bytes.Buffer
	for i, b := range p.blocks {
		if i > 0 {
			blocks.WriteByte('\n')
		}
		blocks.WriteString(b.declaration())
	}
	if len(p.blocks) > 0 {
		if err := putGo("gen_args.go", "", blocks.String()); err != nil {
			return err
		}
	}
	for file, text := range p.declarations {
		if err := putGo(file, "", text); err != nil {
			return err
		}
	}
	if len(p.dispatchers) == 0 {
		return nil
	}
	if err := putGo("gen_dispatch_amd64.go", assemblyConstraint, p.dispatch(true)); err != nil {
		return err
	}
	if err := putGo("gen_dispatch_none.go", "//go:build !amd64 || noasm\n\n", p.dispatch(false)); err != nil {
		return err
	}
	for name, ctx := range map[string]*build.Context{"gen_avx2_amd64": p.avx2, "gen_avx512_amd64": p.avx512} {
		if err := p.writeAssembly(ctx,
			func(extension string, text []byte) error { return put(name+extension, text) }); err != nil {
			return fmt.Errorf("%s/%s: %w", p.folder, name, err)
		}
	}
	return nil
}

// writeAssembly compiles what ctx has and puts the assembly and the Go declarations of its functions.
func (p *Package) writeAssembly(ctx *build.Context, put func(extension string, text []byte) error) error {
	file, err := ctx.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	assembly, err := printer.NewGoAsm(p.origin()).Print(file)
	if err != nil {
		return err
	}
	declarations, err := printer.NewStubs(p.origin()).Print(file)
	if err != nil {
		return err
	}
	if err := put(".s", assembly); err != nil {
		return err
	}
	return put(".go", declarations)
}

// origin tells, in the generated files, how they are made.
func (p *Package) origin() printer.Config {
	return printer.Config{Name: "avo", Argv: []string{"make", "generate", "(tools/kernelgen)"}, Pkg: p.Name()}
}

// imports returns the import declarations that a generated text needs.
func imports(text string) string {
	var groups []string
	if strings.Contains(text, "unsafe.") {
		groups = append(groups, `"unsafe"`)
	}
	var ours []string
	for _, p := range []struct{ name, path string }{{"vec", "trnsci/core/internal/vec"},
		{"kernel", "trnsci/core/kernel"}} {
		if strings.Contains(text, p.name+".") {
			ours = append(ours, fmt.Sprintf("%q", p.path))
		}
	}
	if len(ours) > 0 {
		groups = append(groups, strings.Join(ours, "\n"))
	}
	if len(groups) == 0 {
		return ""
	}
	return "import (\n" + strings.Join(groups, "\n\n") + "\n)\n\n"
}
