//go:build !amd64 || noasm

package kernel

func detect() []Set { return []Set{Go} }
