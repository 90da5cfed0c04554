package device_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
	"trnsci/trnbackend/interp"
)

// tiny is the interpreter with a hundred bytes of memory.
type tiny struct{ *interp.Executor }

func (e tiny) Caps() trnbackend.Caps {
	caps := e.Executor.Caps()
	caps.Memory = 100
	return caps
}

func TestUploadBeyondTheMemory(t *testing.T) {
	s := device.NewSession(tiny{interp.New()}, "")
	call, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer call.End()
	shape := graph.Of(graph.F32, 15)
	data := make([]byte, shape.Bytes())
	if _, err := call.Upload(shape, data); err != nil {
		t.Errorf("60 of 100 bytes: %v", err)
	}
	var failed *trnbackend.DeviceError
	_, err = call.Upload(shape, data)
	if !errors.As(err, &failed) || !strings.Contains(err.Error(), "60 bytes needed, 40 free") {
		t.Errorf("120 of 100 bytes: %v", err)
	}
}

// A graph needs the memory of its parameters and results, except for results that take over a parameter.
func TestAGraphBeyondTheMemory(t *testing.T) {
	s := device.NewSession(tiny{interp.New()}, "")
	call, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer call.End()
	for _, c := range []struct {
		elements int
		donated  bool
		message  string // empty if it fits
	}{{12, false, ""}, {13, false, "104 bytes needed, 100 free"}, {25, true, ""}, {26, true,
		"104 bytes needed, 100 free"}} {
		b := graph.NewBuilder("negated")
		shape := graph.Of(graph.F32, c.elements)
		x := b.Parameter
		if c.donated {
			x = b.Donated
		}
		b.Result("y", b.Negate(x("x", shape)))
		g, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		err = call.Fits(g)
		var failed *trnbackend.DeviceError
		if (err == nil) != (c.message == "") || err != nil &&
			!(errors.As(err, &failed) && strings.Contains(err.Error(), c.message)) {
			t.Errorf("%d elements, donated %t: %v", c.elements, c.donated, err)
		}
	}
}

func TestACallPlansWithTheMemoryThatItIsAllowed(t *testing.T) {
	s := device.NewSession(interp.New(), "")
	defer s.Close()
	call, err := s.Begin(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer call.End()
	all := call.Caps().Memory
	if all != interp.New().Caps().Memory {
		t.Fatalf("%d bytes of memory without a limit", all)
	}
	for limit, want := range map[int64]int64{0: all, 1000: 1000, all + 1: all} {
		call.LimitMemory(limit)
		if got := call.Caps().Memory; got != want {
			t.Errorf("limit %d: %d bytes of memory, not %d", limit, got, want)
		}
	}
}
