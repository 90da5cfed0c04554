package interp

import "slices"

// nest is a nest of loops over two arrays at once. A loop with stride 0 does not move in that array.
type nest struct{ loops []loop }

type loop struct{ length, dst, src int } // number of steps, and strides in both arrays

// strides returns the strides of an array in row-major order.
func strides(dims []int) []int {
	s := make([]int, len(dims))
	at := 1
	for k := len(dims) - 1; k >= 0; k-- {
		s[k] = at
		at *= dims[k]
	}
	return s
}

// newNest returns the loops over dims, outermost first. Loops of one step are left out, and two loops are merged if one
// loop steps through both arrays in the same way.
func newNest(dims, dst, src []int) nest {
	var n nest
	for k, length := range dims {
		inner := loop{length, dst[k], src[k]}
		if length == 1 {
			continue
		}
		if last := len(n.loops) - 1; last >= 0 && n.loops[last].dst == length*inner.dst &&
			n.loops[last].src == length*inner.src {
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

// innermost returns the last loop, which a visitor of rows runs itself.
func (n *nest) innermost() loop { return n.loops[len(n.loops)-1] }

// rows calls visit with the offsets where each run of the innermost loop starts; dst and src are those of the whole
// nest.
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

// parts cuts the longest loop that moves in dst into parts of about a chunk of steps; no two of them write to one
// element. It returns the number of parts, and part i with its offsets.
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
