package graph

import "testing"

// Every operation has an entry, and what elementwise operations need is there.
func TestTableIsComplete(t *testing.T) {
	names := map[string]bool{}
	for _, o := range Ops() {
		e := o.entry()
		if e.name == "" || names[e.name] || e.infer == nil {
			t.Errorf("operation %d: name %q, infer %t", o, e.name, e.infer != nil)
		}
		names[e.name] = true
		switch {
		case o.IsUnary() != (e.unary != nil),
			o.IsBinary() != (e.binary != nil || o == Compare),
			e.integer != nil && e.binary == nil,
			(o.IsUnary() || o.IsBinary()) && (e.flops == nil || e.element == nil):
			t.Errorf("%s: the entry is not complete", o)
		}
	}
}
