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

// Times of a run of a program of one operation in seconds, measured with XLA's own plugins.
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

// dtypes returns the types of a platform: double precision only if XLA itself compiles.
func (d description) dtypes() []graph.DType {
	types := []graph.DType{graph.F32, graph.BF16, graph.S32, graph.Pred}
	if d.isXLA() {
		types = append(types, graph.F64)
	}
	return types
}

// compileOptions returns the options for all programs of the platform. XLA's flags are only for XLA, since other
// compilers may not know them.
func (d description) compileOptions() []byte {
	switch {
	case d.isHost():
		return compileOptions(fastMinMax, excess)
	case d.isXLA():
		return compileOptions(excess)
	}
	return compileOptions()
}

// dispatch returns the overhead of a run in seconds.
func (d description) dispatch() float64 {
	if d.isHost() {
		return dispatchHost
	}
	return dispatchCard
}

// title returns the device and the version of its interface, for users: "cpu (XLA, PJRT 0.115)". The plugin's version
// and its name of the device are added if they say more than the platform's name.
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

// cacheKey identifies the compiler of programs: by what the plugin reports, the size and time of its file, since some
// plugins report little, the version of the translation of graphs, and for programs of the host the instructions of its
// processor.
func (d description) cacheKey(path string) (string, error) {
	file, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	key := fmt.Sprintf("PJRT %s, %s %s on %s, %s of %d bytes, %s, lowering %d", d.api, d.platform, oneLine(d.version),
		oneLine(d.device),
		filepath.Base(path), file.Size(), file.ModTime().UTC().Format(time.RFC3339), hlo.Lowering)
	if d.isHost() {
		key += ", processor " + processor()
	}
	return key, nil
}

// oneLine replaces line ends and repeated spaces.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// processor returns a short checksum of the model and the instructions of the first processor; "unknown" if Linux does
// not report them.
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
