package pybind

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// Requests below this size are not checked: the check costs more than they do, and no machine lacks them.
const minCheckedBytes = 64 << 20

// reserve returns a *memoryError if a workspace of the given size would not fit. Go ends the process when an allocation
// fails, so what may be too large is refused before it is asked for.
func reserve(what string, size int64) error {
	if size < minCheckedBytes {
		return nil
	}
	if free, known := availableMemory(); known && size > free {
		return &memoryError{fmt.Sprintf("%s needs %d bytes (%.1f GiB) of workspace, %d are available", what, size, gibibytes(size), free)}
	}
	if !canMap(size) {
		return &memoryError{fmt.Sprintf("%s needs %d bytes (%.1f GiB) of workspace, which the system refuses", what, size, gibibytes(size))}
	}
	return nil
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
