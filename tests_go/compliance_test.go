package tests_go

import (
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/compliance"
	"trnsci/trnbackend/interp"
)

func TestInterpIsAnExecutor(t *testing.T) {
	compliance.Run(t, func() (trnbackend.Executor, error) { return interp.New(), nil })
}
