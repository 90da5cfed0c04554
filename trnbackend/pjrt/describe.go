package pjrt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/hlo"
)

// Names of platforms, as plugins have them. JAX's plugin for NVIDIA cards calls itself what the client is told, or
// "gpu".
const (
	platformCPU  = "cpu"
	platformCUDA = "cuda"
	platformGPU  = "gpu"
)

// Seconds that the run of a program of one operation takes, measured with XLA's own plugins.
const (
	dispatchHost = 2e-6
	dispatchCard = 28e-6
)

// isHost reports whether the plugin is XLA for the host.
func (d description) isHost() bool { return strings.ToLower(d.platform) == platformCPU }

// isXLA reports whether the plugin is XLA itself, for the host or an NVIDIA card.
func (d description) isXLA() bool {
	return slices.Contains([]string{platformCPU, platformCUDA, platformGPU}, strings.ToLower(d.platform))
}

// dtypes returns the types of a platform: double precision only where XLA itself compiles.
func (d description) dtypes() []graph.DType {
	types := []graph.DType{graph.F32, graph.BF16, graph.S32, graph.Pred}
	if d.isXLA() {
		types = append(types, graph.F64)
	}
	return types
}

// compileOptions returns the options for all programs of the platform. Other compilers need not know XLA's flags.
func (d description) compileOptions() []byte {
	switch {
	case d.isHost():
		return compileOptions(fastMinMax, excess)
	case d.isXLA():
		return compileOptions(excess)
	}
	return compileOptions()
}

// dispatch returns the seconds that a run takes beside the work.
func (d description) dispatch() float64 {
	if d.isHost() {
		return dispatchHost
	}
	return dispatchCard
}

// title returns what the device is and the version of its interface, as users read it: "cpu (XLA, PJRT 0.115)". What
// the plugin says of its own version and of the device is added where it says more than the platform's name.
func (d description) title() string {
	words := []string{"PJRT " + d.api}
	if d.isXLA() {
		words = []string{"XLA", words[0]}
	}
	for _, said := range []string{oneLine(d.version), oneLine(d.device)} {
		if said != "" && !strings.EqualFold(said, d.platform) {
			words = append(words, said)
		}
	}
	return fmt.Sprintf("%s (%s)", d.platform, strings.Join(words, ", "))
}

// cacheKey returns all by which one compiler's programs differ from another's: what the plugin says, the size and time
// of its file, since some plugins say little, how graphs are written, and for programs of the host what its processor
// can do.
func (d description) cacheKey(path string) (string, error) {
	file, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	key := fmt.Sprintf("PJRT %s, %s %s on %s, %s of %d bytes, %s, lowering %d", d.api, d.platform, oneLine(d.version), oneLine(d.device),
		filepath.Base(path), file.Size(), file.ModTime().UTC().Format(time.RFC3339), hlo.Lowering)
	if d.isHost() {
		key += ", processor " + processor()
	}
	return key, nil
}

// oneLine replaces line ends and repeated spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// processor returns a short sum over the model and the instructions of the first processor; "unknown" where Linux does
// not tell.
func processor() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	first, _, _ := strings.Cut(string(text), "\n\n")
	sum := sha256.New()
	for line := range strings.Lines(first) {
		name, _, _ := strings.Cut(line, ":")
		switch strings.TrimSpace(name) {
		case "vendor_id", "model name", "flags", "Features", "CPU implementer", "CPU part":
			sum.Write([]byte(line))
		}
	}
	const short = 4 // bytes
	return hex.EncodeToString(sum.Sum(nil)[:short])
}
