package interp

import "slices"

// nest is a nest of loops over two arrays at once. A stride of 0 stays where it is.
type nest struct{ loops []loop }

type loop struct{ length, dst, src int } // how often, and the distances of elements

// strides returns the distances of elements of an array in row-major order.
func strides(dims []int) []int {
	s := make([]int, len(dims))
	at := 1
	for k := len(dims) - 1; k >= 0; k-- {
		s[k] = at
		at *= dims[k]
	}
	return s
}

// newNest returns the loops over dims, outermost first. Loops of one step are left out, and a pair of loops that steps
// through both arrays as one loop would is one.
func newNest(dims, dst, src []int) nest {
	var n nest
	for k, length := range dims {
		inner := loop{length, dst[k], src[k]}
		if length == 1 {
			continue
		}
		if last := len(n.loops) - 1; last >= 0 && n.loops[last].dst == length*inner.dst && n.loops[last].src == length*inner.src {
			inner.length *= n.loops[last].length
			n.loops[last] = inner
			continue
		}
		n.loops = append(n.loops, inner)
	}
	if len(n.loops) == 0 {
		n.loops = []loop{{1, 1, 1}}
	}
	return n
}

// innermost returns the last loop, which a visitor of rows does itself.
func (n *nest) innermost() loop { return n.loops[len(n.loops)-1] }

// rows calls visit with the places where each run of the innermost loop starts, those of the arrays being given.
func (n *nest) rows(dst, src int, visit func(dst, src int)) {
	outer := n.loops[:len(n.loops)-1]
	if slices.ContainsFunc(n.loops, func(l loop) bool { return l.length == 0 }) {
		return
	}
	index := make([]int, len(outer))
	for {
		visit(dst, src)
		k := len(outer) - 1
		for ; k >= 0; k-- {
			index[k]++
			dst += outer[k].dst
			src += outer[k].src
			if index[k] < outer[k].length {
				break
			}
			dst -= index[k] * outer[k].dst
			src -= index[k] * outer[k].src
			index[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// parts cuts the longest loop that moves in dst, so that no two parts write one element, into parts of about a chunk of
// steps. It returns how many there are and part i, with the places where it starts.
func (n *nest) parts() (count int, part func(i int) (p nest, dst, src int)) {
	cut, steps := -1, 1
	for k, l := range n.loops {
		steps *= l.length
		if l.dst != 0 && (cut < 0 || l.length > n.loops[cut].length) {
			cut = k
		}
	}
	if cut < 0 || steps == 0 {
		return 1, func(int) (nest, int, int) { return *n, 0, 0 }
	}
	whole := n.loops[cut]
	each := max(1, chunk*whole.length/steps)
	return (whole.length + each - 1) / each, func(i int) (nest, int, int) {
		p := nest{slices.Clone(n.loops)}
		p.loops[cut].length = min(each, whole.length-i*each)
		return p, i * each * whole.dst, i * each * whole.src
	}
}
