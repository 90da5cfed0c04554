package kernel

// Sets returns the sets that this machine can run, slowest first.
func Sets() []Set { return append([]Set(nil), available...) }

// Best returns the fastest of Sets.
func Best() Set { return best }

// BestForOverlaps returns the fastest of Sets for kernels whose steps load what the step before has stored in part, as
// those of a QR sweep do. On Intel processors a load waits until a masked store of AVX-512 has reached the cache:
// kernels of AVX2, which do without, are up to 1.25 times as fast.
func BestForOverlaps() Set {
	if best == AVX512 && thisProcessor.vendor == intel {
		return AVX2
	}
	return best
}

// The processor is examined once, when the program starts.
var (
	available, thisProcessor = detect()

	best = available[len(available)-1]
)

// Microarchitecture returns the name of the design of this machine's processor, such as "Zen 3"; "" if it is not known.
func Microarchitecture() string {
	if m := thisProcessor.design(); m != nil {
		return m.name
	}
	return ""
}
