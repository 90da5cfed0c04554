package x86

import (
	"bytes"
	"fmt"
)

// Kernel says how a kernel is called: its name begins with Base and ends with Suffix and that of the instruction set,
// and the function BaseKernel of the package, with the parameters Params, calls it with a block of arguments if
// Condition is true.
type Kernel struct {
	Base, Suffix      string
	Block             *Block
	Doc               string
	Params, Condition string
}

// dispatcher is a function that calls one of several kernels of the same base.
type dispatcher struct {
	Kernel
	cases []dispatchCase
}

type dispatchCase struct{ condition, function string }

// Begin begins a kernel for a set and an element type.
func (s Set) Begin(base string, isComplex bool, block *Block, doc string) {
	name := s.TypeName(isComplex)
	long := map[string]string{"F32": "Float32", "F64": "Float64", "C64": "Complex64", "C128": "Complex128"}[name]
	s.BeginKernel(Kernel{
		Base: base, Suffix: name + s.SetName(), Block: block, Doc: doc,
		Params: "s kernel.Set, t vec.Type", Condition: fmt.Sprintf("s == kernel.%s && t == vec.%s", s.SetName(), long),
	})
}

// BeginForSet begins a kernel for a set that has no other element types.
func (s Set) BeginForSet(base string, block *Block, doc string) {
	s.BeginKernel(Kernel{
		Base: base, Suffix: s.SetName(), Block: block, Doc: doc, Params: "s kernel.Set",
		Condition: "s == kernel." + s.SetName(),
	})
}

// BeginKernel begins a kernel.
func (s Set) BeginKernel(k Kernel) {
	function := k.Base + k.Suffix
	s.target.addKernel(k, function)
	s.begin(function, k.Doc)
}

func (p *Package) addKernel(k Kernel, function string) {
	if k.Block.isLocal() {
		p.AddBlock(k.Block)
	}
	for _, d := range p.dispatchers {
		if d.Base == k.Base {
			d.cases = append(d.cases, dispatchCase{k.Condition, function})
			return
		}
	}
	p.dispatchers = append(p.dispatchers, &dispatcher{k, []dispatchCase{{k.Condition, function}}})
}

// dispatch returns the functions that choose kernels. They are switches, not tables of function values: the compiler
// assumes that the arguments of a call through a function value escape, and each call would allocate its block.
func (p *Package) dispatch(assembly bool) string {
	var text bytes.Buffer
	for i, d := range p.dispatchers {
		if i > 0 {
			text.WriteByte('\n')
		}
		fmt.Fprintf(&text, "// %sKernel %s\n", d.Base, d.Doc)
		if !assembly {
			fmt.Fprintf(&text, "func %sKernel(%s, _ *%s) { vec.NoAssembly(s) }\n", d.Base, d.Params, d.Block.name)
			continue
		}
		fmt.Fprintf(&text, "func %sKernel(%s, args *%s) {\nblock := (*byte)(unsafe.Pointer(args))\nswitch {\n", d.Base,
			d.Params, d.Block.name)
		for _, c := range d.cases {
			fmt.Fprintf(&text, "case %s:\n%s(block)\n", c.condition, c.function)
		}
		fmt.Fprintf(&text, "default:\nvec.NoAssembly(s)\n}\n}\n")
	}
	return text.String()
}
