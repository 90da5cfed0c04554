package kernel

// Sets returns the sets that this machine can run, slowest first.
func Sets() []Set { return append([]Set(nil), available...) }

// Best returns the fastest of Sets.
func Best() Set { return best }

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
