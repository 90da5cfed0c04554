"""Code that the public packages share: arguments, memory, calls of the Go library, errors, progress, threads,
devices."""
