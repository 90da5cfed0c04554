package kernel

import "encoding/binary"

// processor holds the data of a processor that CPUID gives; the zero value is an unknown one.
type processor struct {
	vendor        string
	family, model int
	l2            int // bytes of the L2 cache of a core, 0 if CPUID does not tell
}

// microarchitecture is a design of cores: its name, the models of a vendor's family that have it, and the bytes of its
// L2 cache, for processors, mostly virtual ones, that do not report their caches.
type microarchitecture struct {
	vendor string
	family int
	models []modelRange
	name   string
	l2     int
}

// modelRange is a range of models, both ends included.
type modelRange struct{ first, last int }

const (
	intel = "GenuineIntel"
	amd   = "AuthenticAMD"
	hygon = "HygonGenuine"

	kiB = 1 << 10
	miB = 1 << 20
)

// Sources: AMD, Processor Programming References of families 17h, 19h and 1Ah; Intel, 64 and IA-32 Architectures
// Software Developer's Manual, volume 4, table 2-1.
var microarchitectures = []microarchitecture{
	{amd, 0x17, []modelRange{{0x00, 0x07}, {0x10, 0x17}, {0x20, 0x2f}}, "Zen", 512 * kiB},
	{amd, 0x17, []modelRange{{0x08, 0x0f}, {0x18, 0x1f}}, "Zen+", 512 * kiB},
	{amd, 0x17, []modelRange{{0x30, 0xff}}, "Zen 2", 512 * kiB},
	{hygon, 0x18, []modelRange{{0x00, 0xff}}, "Zen", 512 * kiB},
	{amd, 0x19, []modelRange{{0x00, 0x0f}, {0x20, 0x5f}}, "Zen 3", 512 * kiB},
	{amd, 0x19, []modelRange{{0x10, 0x1f}, {0x60, 0xaf}}, "Zen 4", miB},
	{amd, 0x1a, []modelRange{{0x00, 0xff}}, "Zen 5", miB},
	{intel, 6, []modelRange{{0x3c, 0x3c}, {0x3f, 0x3f}, {0x45, 0x46}}, "Haswell", 256 * kiB},
	{intel, 6, []modelRange{{0x3d, 0x3d}, {0x47, 0x47}, {0x4f, 0x4f}, {0x56, 0x56}}, "Broadwell", 256 * kiB},
	{intel, 6, []modelRange{{0x4e, 0x4e}, {0x5e, 0x5e}, {0x8e, 0x8e}, {0x9e, 0x9e}, {0xa5, 0xa6}}, "Skylake",
		256 * kiB},
	{intel, 6, []modelRange{{0x55, 0x55}}, "Skylake-X", miB},
	{intel, 6, []modelRange{{0x7d, 0x7e}}, "Ice Lake", 512 * kiB},
	{intel, 6, []modelRange{{0x6a, 0x6a}, {0x6c, 0x6c}}, "Ice Lake-SP", 1280 * kiB},
	{intel, 6, []modelRange{{0xa7, 0xa7}}, "Rocket Lake", 512 * kiB},
	{intel, 6, []modelRange{{0x8c, 0x8d}}, "Tiger Lake", 1280 * kiB},
	{intel, 6, []modelRange{{0x97, 0x97}, {0x9a, 0x9a}}, "Alder Lake", 1280 * kiB},
	{intel, 6, []modelRange{{0xb7, 0xb7}, {0xba, 0xba}, {0xbf, 0xbf}}, "Raptor Lake", 2 * miB},
	{intel, 6, []modelRange{{0x8f, 0x8f}, {0xcf, 0xcf}}, "Sapphire Rapids", 2 * miB},
	{intel, 6, []modelRange{{0xad, 0xae}}, "Granite Rapids", 2 * miB},
}

// newProcessor asks the instruction CPUID for the vendor, the family and the model, and for the size of the L2 cache.
func newProcessor(cpuid func(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32)) processor {
	largest, b, c, d := cpuid(0, 0)
	var name [12]byte
	binary.LittleEndian.PutUint32(name[0:], b)
	binary.LittleEndian.PutUint32(name[4:], d)
	binary.LittleEndian.PutUint32(name[8:], c)
	p := processor{vendor: string(name[:])}
	if largest == 0 {
		return p
	}
	signature, _, _, _ := cpuid(1, 0)
	p.family, p.model = familyAndModel(signature)

	const intelCaches, largestExtended, amdCaches = 4, 0x8000_0000, 0x8000_001d
	extended, _, _, _ := cpuid(largestExtended, 0)
	switch {
	case p.vendor == intel && largest >= intelCaches:
		p.l2 = l2FromLeaf(cpuid, intelCaches)
	case p.vendor != intel && extended >= amdCaches:
		p.l2 = l2FromLeaf(cpuid, amdCaches)
	}
	return p
}

// familyAndModel decodes the signature of CPUID leaf 1: large numbers have extensions.
func familyAndModel(signature uint32) (family, model int) {
	const extendedFamily, intelFamily = 0xf, 6
	family, model = int(signature>>8&0xf), int(signature>>4&0xf)
	if family == extendedFamily || family == intelFamily {
		model |= int(signature>>16&0xf) << 4
	}
	if family == extendedFamily {
		family += int(signature >> 20 & 0xff)
	}
	return family, model
}

// l2FromLeaf returns the bytes of the L2 cache, which a leaf describes in one of its subleaves; 0 if none does.
func l2FromLeaf(cpuid func(leaf, subleaf uint32) (eax, ebx, ecx, edx uint32), leaf uint32) int {
	const mostCaches, none, instructions, second = 16, 0, 2, 2
	for subleaf := range uint32(mostCaches) {
		a, b, c, _ := cpuid(leaf, subleaf)
		kind, level := a&0x1f, a>>5&0x7
		if kind == none {
			break
		}
		if kind != instructions && level == second {
			ways, partitions, line, sets := b>>22+1, b>>12&0x3ff+1, b&0xfff+1, c+1
			return int(ways) * int(partitions) * int(line) * int(sets)
		}
	}
	return 0
}

// design returns the microarchitecture of the processor, nil if the table does not have it.
func (p processor) design() *microarchitecture {
	for i := range microarchitectures {
		m := &microarchitectures[i]
		if m.vendor != p.vendor || m.family != p.family {
			continue
		}
		for _, s := range m.models {
			if s.first <= p.model && p.model <= s.last {
				return m
			}
		}
	}
	return nil
}

// l2Bytes returns the size of the L2 cache as CPUID or the table has them, 0 if neither does.
func (p processor) l2Bytes() int {
	if m := p.design(); p.l2 == 0 && m != nil {
		return m.l2
	}
	return p.l2
}
