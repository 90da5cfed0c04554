//go:build tools

// Package tools keeps the requirements of programs that are run with -modfile=tools/go.mod.
package tools

import (
	_ "github.com/mmcloughlin/avo/build" // core/kernel/gen
)
