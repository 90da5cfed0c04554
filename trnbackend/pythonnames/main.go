// Command pythonnames writes python/trnsci/_core/_names.py: the names of devices and precisions, which Go owns and
// Python checks before it loads the library.
//
//	go run ./trnbackend/pythonnames > python/trnsci/_core/_names.py
package main

import (
	"fmt"
	"os"
	"strings"

	"trnsci/core/precision"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/programs/product"
)

func main() { fmt.Fprint(os.Stdout, text()) }

// text returns the file.
func text() string {
	known, hostMemory := []string{"cpu"}, []string(nil)
	for _, k := range device.Kinds() {
		known, hostMemory = append(known, k.Names...), append(hostMemory, k.HostMemory...)
	}
	const title = "Names of devices and precisions, written by `make generate` from trnbackend/device and " +
		"core/precision."
	return fmt.Sprintf(`"""%s"""

# Devices as messages list them, the host first.
KNOWN_DEVICES = %s
# Regular expressions for whole names: of all devices but the host, and of those that this version can open.
DEVICE_PATTERN = r"%s"
AVAILABLE_PATTERN = r"%s"
# Devices whose memory is the host's.
IN_HOST_MEMORY = %s

# What precision= may be on a device, and for df_mp2_energy on the host.
DEVICE_PRECISIONS = %s
HOST_PRECISIONS = %s
# The precision of df_mp2_energy on the host whose products are in single precision.
MIXED = "%s"
# Passed to the library in place of a precision that was not named, for arrays of integers.
INTEGERS = "%s"
`, title, tuple(known), device.Pattern(false), device.Pattern(true), tuple(hostMemory),
		tuple(names(precision.Device())), tuple(names(precision.Host())), precision.Mixed, product.Integers)
}

func names(ps []precision.Precision) []string {
	list := make([]string, len(ps))
	for i, p := range ps {
		list[i] = string(p)
	}
	return list
}

// tuple returns two or more texts as a Python tuple, a long one with a line for each.
func tuple(list []string) string {
	const longest = 100
	text := `("` + strings.Join(list, `", "`) + `")`
	if len(text) > longest {
		text = "(\n    \"" + strings.Join(list, "\",\n    \"") + "\",\n)"
	}
	return text
}
