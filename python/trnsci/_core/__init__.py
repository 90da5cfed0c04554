"""What the packages of functions share: arguments, memory, the call of the Go library, errors, progress, threads,
devices."""
