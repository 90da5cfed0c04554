package device_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
)

func TestNamesThatDoNotOpen(t *testing.T) {
	for _, name := range []string{"gpu", "", "interp2", "pjrt:", "pjrt:plugin.so", "neuron:", "sim:trn3", "cuda\n"} {
		var unknown *device.UnknownError
		if _, err := device.Open(name, device.Options{}); !errors.As(err, &unknown) ||
			!strings.Contains(err.Error(), "interp, pjrt:cpu") {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"sim:trn1", "neuron", "neuron:3"} {
		var unsupported *trnbackend.UnsupportedError
		if _, err := device.Open(name, device.Options{}); !errors.As(err, &unsupported) || unsupported.Device != name {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Every name that messages list, and an example of each placeholder, belongs to exactly one kind.
func TestNamesBelongToOneKind(t *testing.T) {
	example := strings.NewReplacer("<number>", "12")
	for _, k := range device.Kinds() {
		for _, name := range append(k.Names, k.HostMemory...) {
			owners := 0
			for _, other := range device.Kinds() {
				if regexp.MustCompile(`^(?:` + other.Pattern + `)$`).MatchString(example.Replace(name)) {
					owners++
				}
			}
			if owners != 1 {
				t.Errorf("%q belongs to %d kinds", name, owners)
			}
		}
	}
}
