package kernel

import (
	"encoding/binary"
	"testing"
)

// fakeProcessor answers CPUID like a processor whose caches are described by the given leaf: a first cache for data and
// one for instructions, and then one of l2 bytes, none if that is 0.
func fakeProcessor(vendor string, signature, cacheLeaf uint32, l2 int) func(leaf, subleaf uint32) (a, b, c, d uint32) {
	word := func(i int) uint32 { return binary.LittleEndian.Uint32([]byte(vendor)[4*i:]) }
	const ways, line = 8, 64
	cache := func(kind, level uint32, bytes int) (a, b, c, d uint32) {
		return kind | level<<5, (ways-1)<<22 | (line - 1), uint32(bytes/ways/line - 1), 0
	}
	return func(leaf, subleaf uint32) (a, b, c, d uint32) {
		switch {
		case leaf == 0:
			return 4, word(0), word(2), word(1)
		case leaf == 1:
			return signature, 0, 0, 0
		case leaf == 0x8000_0000:
			return 0x8000_0020, 0, 0, 0
		case leaf != cacheLeaf || l2 == 0:
		case subleaf == 0:
			return cache(1, 1, 32*kiB)
		case subleaf == 1:
			return cache(2, 2, 64*kiB) // instructions: not the cache that is asked for
		case subleaf == 2:
			return cache(3, 2, l2)
		}
		return 0, 0, 0, 0
	}
}

func TestBlockingOfProcessors(t *testing.T) {
	type cols struct{ avx2Double, avx2Single, avx512Double, avx512Single int }
	full := cols{128, 160, 240, 336}
	half := cols{128, 160, 120, 144}
	small := cols{64, 80, 48, 48}
	amdFull, amdHalf := cols{512, 672, 240, 336}, cols{512, 672, 120, 144}
	const intelLeaf, amdLeaf = 4, 0x8000_001d
	for _, p := range []struct {
		name, vendor string
		signature    uint32
		leaf         uint32
		l2           int // as reported
		want         cols
	}{
		{"Zen", amd, 0x00800f12, amdLeaf, 512 * kiB, amdHalf},
		{"Zen+", amd, 0x00800f82, amdLeaf, 512 * kiB, amdHalf},
		{"Zen 2", amd, 0x00870f10, amdLeaf, 512 * kiB, amdHalf},
		{"Zen 3", amd, 0x00a00f11, amdLeaf, 512 * kiB, amdHalf},
		{"Zen 3", amd, 0x00a20f12, amdLeaf, 0, amdHalf},
		{"Zen 4", amd, 0x00a10f11, amdLeaf, miB, amdFull},
		{"Zen 4", amd, 0x00a60f12, amdLeaf, 0, amdFull},
		{"Zen 5", amd, 0x00b00f21, amdLeaf, miB, amdFull},
		{"Zen", hygon, 0x00900f02, amdLeaf, 512 * kiB, amdHalf},
		{"Haswell", intel, 0x000306c3, intelLeaf, 256 * kiB, small},
		{"Broadwell", intel, 0x000406f1, intelLeaf, 0, small},
		{"Skylake", intel, 0x000506e3, intelLeaf, 256 * kiB, small},
		{"Skylake-X", intel, 0x00050657, intelLeaf, miB, full},
		{"Ice Lake", intel, 0x000706e5, intelLeaf, 512 * kiB, half},
		{"Ice Lake-SP", intel, 0x000606a6, intelLeaf, 1280 * kiB, full},
		{"Rocket Lake", intel, 0x000a0671, intelLeaf, 512 * kiB, half},
		{"Tiger Lake", intel, 0x000806c1, intelLeaf, 0, full},
		{"Alder Lake", intel, 0x00090672, intelLeaf, 1280 * kiB, full},
		{"Sapphire Rapids", intel, 0x000806f8, intelLeaf, 2 * miB, full},
		{"Granite Rapids", intel, 0x000a06d1, intelLeaf, 2 * miB, full},
		{"", intel, 0x000206a7, intelLeaf, 256 * kiB, small}, // Sandy Bridge is not in the table, its cache counts
		{"", "TCGTCGTCGTCG", 0x00000663, intelLeaf, 0, full}, // an emulator that tells nothing
	} {
		got := newProcessor(fakeProcessor(p.vendor, p.signature, p.leaf, p.l2))
		if got.l2 != p.l2 {
			t.Errorf("%q, %#x: L2 cache of %d bytes, want %d", p.name, p.signature, got.l2, p.l2)
		}
		name := ""
		if m := got.design(); m != nil {
			name = m.name
		}
		if name != p.name {
			t.Errorf("%#x is taken for %q, want %q", p.signature, name, p.name)
		}
		double, single := newBlocking[float64](got, sets64), newBlocking[float32](got, sets32)
		if c := (cols{double[AVX2].Cols, single[AVX2].Cols, double[AVX512].Cols, single[AVX512].Cols}); c != p.want {
			t.Errorf("%q, %#x: columns %v, want %v", p.name, p.signature, c, p.want)
		}
	}
}

// Models of different microarchitectures must not overlap: the first entry would hide the second.
func TestMicroarchitecturesDoNotOverlap(t *testing.T) {
	for i, m := range microarchitectures {
		for _, s := range m.models {
			for model := s.first; model <= s.last; model++ {
				if got := (processor{vendor: m.vendor, family: m.family,
					model: model}).design(); got != &microarchitectures[i] {
					t.Errorf("%s: model %#x is taken for %s", m.name, model, got.name)
				}
			}
		}
	}
}

// Only Cols, L2Cols and Direct follow the processor: Inner decides the bits of results, the tiles belong to the code.
func TestBitsDoNotFollowTheProcessor(t *testing.T) {
	for _, sets := range [][2][setCount]Blocking{
		{newBlocking[float64](processor{}, sets64), newBlocking[float64](processor{l2: 64 * kiB}, sets64)},
		{newBlocking[float32](processor{}, sets32), newBlocking[float32](processor{l2: 64 * kiB}, sets32)},
	} {
		for s, large := range sets[0] {
			small := sets[1][s]
			if small.Cols > large.Cols || small.Cols < small.TileCols() || small.Cols%small.TileCols() != 0 {
				t.Errorf("%v: columns %d and %d of tiles of %d", Set(s), small.Cols, large.Cols, small.TileCols())
			}
			if small.L2Cols > large.L2Cols || small.L2Cols%small.TileCols() != 0 || large.L2Cols > large.Cols {
				t.Errorf("%v: %d and %d of %d columns in the L2 cache", Set(s), small.L2Cols, large.L2Cols, large.Cols)
			}
			if 8*small.Direct > large.Direct || small.Direct == 0 {
				t.Errorf("%v: up to %d and %d bytes in place", Set(s), small.Direct, large.Direct)
			}
			small.Cols, small.L2Cols, small.Direct = large.Cols, large.L2Cols, large.Direct
			if small != large {
				t.Errorf("%v: %+v and %+v", Set(s), small, large)
			}
		}
	}
}
