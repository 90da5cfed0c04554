package programs

import (
	"context"
	"errors"

	"trnsci/core/sched"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/graph"
)

// pieceElements is how many elements the host works on between two looks at the call's context: less than a millisecond's work, at some nanoseconds
// each.
const pieceElements = 1 << 16

// pace is the work of one call on the host, which ends early with the call's context.
type pace struct {
	ctx  context.Context
	done int // elements since the last look
}

func newPace(call *device.Call) *pace { return &pace{ctx: call.Context()} }

// did notes work on n elements. It is an error if the call has been cancelled, as far as it is time to look.
func (p *pace) did(n int) error {
	p.done += n
	if p.done < pieceElements {
		return nil
	}
	p.done = 0
	if p.ctx.Err() != nil {
		return context.Cause(p.ctx)
	}
	return nil
}

// team returns the means of package core for the call's work on the host: one thread, since the device does the work that takes long.
func (p *pace) team() *sched.Team { return sched.NewTeam(p.ctx, 1, nil) }

// cause returns an error of package core, or the cause of cancelling the call if that is what the error says.
func (p *pace) cause(err error) error {
	if cancelled := p.ctx.Err(); err != nil && cancelled != nil && errors.Is(err, cancelled) {
		return context.Cause(p.ctx)
	}
	return err
}

// encode is trnbackend.Encode.
func (p *pace) encode(d graph.DType, x []float64) ([]byte, error) {
	data := make([]byte, 0, len(x)*d.Bytes())
	for len(x) > 0 {
		n := min(len(x), pieceElements)
		data = append(data, trnbackend.Encode(d, x[:n])...)
		if err := p.did(n); err != nil {
			return nil, err
		}
		x = x[n:]
	}
	return data, nil
}

// decode is trnbackend.Decode.
func (p *pace) decode(d graph.DType, data []byte) ([]float64, error) {
	x := make([]float64, 0, len(data)/d.Bytes())
	for len(data) > 0 {
		n := min(len(data), pieceElements*d.Bytes())
		x = append(x, trnbackend.Decode(d, data[:n])...)
		if err := p.did(n / d.Bytes()); err != nil {
			return nil, err
		}
		data = data[n:]
	}
	return x, nil
}
