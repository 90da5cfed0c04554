package record

import (
	"fmt"
	"math"
	"unsafe"
)

// maxWords bounds a record: the longest ones describe the integrals of all pairs of k-points.
const maxWords = 1 << 24

const wordBytes = 8

// absent is the word for an absent array.
const absent = -1

// A call is a struct of calls.go.
type call[T any] interface {
	*T
	decode(r *reader)
}

// At returns the call whose record is at an address. It panics if the record breaks a rule.
func At[T any, P call[T]](address uint64) *T {
	if address == 0 || address%8 != 0 {
		panic(fmt.Sprintf("no record at address %#x", address))
	}
	words := (*int64)(Pointer(address))
	if *words < 1 || *words > maxWords {
		panic(fmt.Sprintf("record of %d words", *words))
	}
	c, err := Decode[T, P](unsafe.Slice(words, *words))
	if err != nil {
		panic(err)
	}
	return c
}

// Decode returns the call that the words of a record describe. It does not touch the memory of arrays.
func Decode[T any, P call[T]](words []int64) (*T, error) {
	c := new(T)
	r := &reader{words: words}
	if n := r.word(); r.err == nil && n != int64(len(words)) {
		r.fail("%d words, and the first is %d", len(words), n)
	}
	P(c).decode(r)
	if r.err == nil && r.at != len(words) {
		r.fail("%d words are left over", len(words)-r.at)
	}
	if r.err != nil {
		return nil, fmt.Errorf("record of a %T: %w", *c, r.err)
	}
	return c, nil
}

// A reader reads the parts of a record one after the other. After the first error all parts are zero.
type reader struct {
	words []int64
	at    int
	err   error
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf(format, args...)
		r.at = len(r.words)
	}
}

// take returns the next n words, nil after an error.
func (r *reader) take(n int) []int64 {
	if r.err == nil && (n < 0 || n > len(r.words)-r.at) {
		r.fail("%d words are needed at word %d of %d", n, r.at, len(r.words))
	}
	if r.err != nil {
		return nil
	}
	r.at += n
	return r.words[r.at-n : r.at]
}

func (r *reader) word() int64 {
	if w := r.take(1); w != nil {
		return w[0]
	}
	return 0
}

func (r *reader) integer() int { return int(r.word()) }

func (r *reader) boolean() bool {
	w := r.word()
	if w != 0 && w != 1 {
		r.fail("a boolean is %d", w)
	}
	return w == 1
}

func (r *reader) float() float64 { return math.Float64frombits(uint64(r.word())) }

func (r *reader) complex() complex128 {
	re := r.float()
	return complex(re, r.float())
}

// array returns an array of one of the dtypes.
func (r *reader) array(name string, allowed dtypeSet) *Array {
	a := r.optionalArray(name, allowed)
	if a == nil {
		r.fail("%s: no array", name)
	}
	return a
}

// optionalArray is array for an array that may be absent; it then returns nil.
func (r *reader) optionalArray(name string, allowed dtypeSet) *Array {
	dtype := r.word()
	if dtype == absent || r.err != nil {
		return nil
	}
	if dtype < 0 || dtype >= int64(len(dtypes)) || !allowed.has(Dtype(dtype)) {
		r.fail("%s: dtype code %d", name, dtype)
		return nil
	}
	address, ndim := r.word(), r.word()
	if ndim < 0 || ndim > maxDims {
		r.fail("%s: %d dimensions", name, ndim)
		return nil
	}
	given := r.take(2 * int(ndim))
	if r.err != nil {
		return nil
	}
	sizes := make([]int, len(given))
	for i, w := range given {
		sizes[i] = int(w)
	}
	a := &Array{Address: uint64(address), Dtype: Dtype(dtype), Shape: sizes[:ndim:ndim], Strides: sizes[ndim:]}
	if err := a.check(); err != nil {
		r.fail("%s: %w", name, err)
		return nil
	}
	return a
}

func (r *reader) arrays(name string, allowed dtypeSet) []*Array {
	n := r.word()
	if n < 0 || n > int64(len(r.words)-r.at) {
		r.fail("%s: %d arrays", name, n)
		return nil
	}
	list := make([]*Array, 0, n)
	for k := int64(0); k < n && r.err == nil; k++ {
		list = append(list, r.array(name, allowed))
	}
	return list
}

func (r *reader) text(name string) string {
	n := r.word()
	if n < 0 || n > wordBytes*int64(len(r.words)-r.at) {
		r.fail("%s: text of %d bytes", name, n)
		return ""
	}
	words := r.take(int(n+wordBytes-1) / wordBytes)
	if len(words) == 0 {
		return ""
	}
	return string(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), n))
}
