package pybind

import (
	"bufio"
	"bytes"
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
)

const (
	// Requests below this size are not compared with the memory that is free: no machine lacks them.
	minCheckedBytes = 64 << 20
	// Smaller ones than this are not worth the question whether more memory can be mapped, which takes as long as a small eigenproblem: they
	// fit into the arenas of heapArenaBytes that Go maps, but for the one in many that a call begins.
	minMappedBytes = 4 << 20
	heapArenaBytes = 64 << 20
)

// reserve returns a *memoryError if workspace of the given size would not fit beside results that Python has mapped
// already, but whose pages the system hands out only when they are written. Go ends the process when an allocation
// fails, and Linux may end it when pages run out, so what may be too large is refused before it is asked for.
func reserve(what string, workspace, results int64) error {
	size := saturatingAdd(workspace, results)
	if size < minMappedBytes {
		return nil
	}
	if free, known := availableMemory(); size >= minCheckedBytes && known && size > free {
		return &memoryError{fmt.Sprintf("%s needs %d bytes (%.1f GiB) for workspace and results, %d are available", what, size, gibibytes(size), free)}
	}
	if workspace >= minMappedBytes && !canMap(saturatingAdd(workspace, heapArenaBytes)) {
		return &memoryError{fmt.Sprintf("%s needs %d bytes (%.1f GiB) of workspace, which the system refuses", what, workspace, gibibytes(workspace))}
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

// availableMemory returns the memory that Linux says can be had without swapping.
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

// ReleaseMemory gives memory that is kept for later calls back to the system.
func ReleaseMemory() (zero int64, err error) {
	defer guard(&err)
	// Pools keep what they have through one collection; FreeOSMemory is the second one.
	runtime.GC()
	debug.FreeOSMemory()
	return 0, nil
}

// Reserve refuses a result of the given size, which Python has mapped and nobody has written yet, where it would not fit.
func Reserve(size int64) (zero int64, err error) {
	defer guard(&err)
	return 0, reserve("the result", 0, size)
}
