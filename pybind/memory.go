package pybind

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"strconv"

	"trnsci/core/scratch"
)

const (
	// Smaller requests are not compared with the free memory: every machine has that much.
	minCheckedBytes = 64 << 20
	// Smaller requests are not tested with canMap, which takes as long as a small eigenproblem: they almost always fit
	// into the arenas of heapArenaBytes that Go has already mapped.
	minMappedBytes = 4 << 20
	heapArenaBytes = 64 << 20
)

// reserve returns a *memoryError if workspace of the given size would not fit in addition to the results. Python has
// mapped the results already, but the system provides their pages only when they are written. Go ends the process when
// an allocation fails, and Linux may end it when pages run out, so requests that may be too large are refused before
// they are made.
func reserve(what string, workspace, results int64) error {
	size := saturatingAdd(workspace, results)
	if size < minMappedBytes {
		return nil
	}
	if free, known := availableMemory(); size >= minCheckedBytes && known && size > free {
		return &memoryError{fmt.Sprintf("%s needs %d bytes (%.1f GiB) for workspace and results, %d are available", what,
			size, gibibytes(size), free)}
	}
	if workspace >= minMappedBytes && !canMap(saturatingAdd(workspace, heapArenaBytes)) {
		return &memoryError{fmt.Sprintf("%s needs %d bytes (%.1f GiB) of workspace, which the system refuses", what,
			workspace, gibibytes(workspace))}
	}
	return nil
}

func saturatingAdd(x, y int64) int64 {
	if x > math.MaxInt64-y {
		return math.MaxInt64
	}
	return x + y
}

func gibibytes(size int64) float64 { return float64(size) / (1 << 30) }

// availableMemory returns the memory that is available without swapping, according to Linux.
func availableMemory() (size int64, known bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	lines := bufio.NewScanner(bytes.NewReader(text))
	for lines.Scan() {
		// MemAvailable:   12345 kB
		fields := bytes.Fields(lines.Bytes())
		if len(fields) == 3 && string(fields[0]) == "MemAvailable:" {
			kilobytes, err := strconv.ParseInt(string(fields[1]), 10, 64)
			return kilobytes << 10, err == nil
		}
	}
	return 0, false
}

// ReleaseMemory frees the memory that the library keeps for later calls.
func ReleaseMemory() (zero int64, err error) {
	defer guard(&err)
	scratch.Release()
	return 0, nil
}

// Reserve returns a *memoryError if a result of the given size, which Python has mapped but not written, would not fit.
func Reserve(size int64) (zero int64, err error) {
	defer guard(&err)
	return 0, reserve("the result", 0, size)
}
