package graph

import "testing"

func TestPeak(t *testing.T) {
	const bytes = 4 * 10
	b := NewBuilder("peak")
	x := b.Parameter("x", Of(F32, 10))
	y := b.Negate(x)        // y
	z := b.Exp(y)           // y, z
	w := b.Multiply(z, z)   // z, w: y went before, z is read twice at once
	v := b.Add(b.Abs(w), w) // w, |w|, v
	b.Result("v", v)
	b.Result("half", b.Slice(v, []int{0}, []int{5}, []int{1})) // v and half of it
	g, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if got := g.Peak(); got != 3*bytes {
		t.Errorf("%d bytes, expected %d", got, 3*bytes)
	}
}
