package pybind

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/programs/matmul"
	"trnsci/trnbackend/programs/product"
	"trnsci/trnbackend/programs/staging"
)

// table hands out numbers for what Python refers to.
type table[T any] struct {
	mu   sync.Mutex
	last int64
	held map[int64]T
}

func (t *table[T]) add(value T) int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held == nil {
		t.held = map[int64]T{}
	}
	t.last++
	t.held[t.last] = value
	return t.last
}

func (t *table[T]) get(id int64) (T, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	value, ok := t.held[id]
	return value, ok
}

func (t *table[T]) remove(id int64) (T, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	value, ok := t.held[id]
	delete(t.held, id)
	return value, ok
}

var (
	sessions table[*device.Session]
	reports  table[trnbackend.Report]
)

func session(id int64) (*device.Session, error) {
	if s, ok := sessions.get(id); ok {
		return s, nil
	}
	return nil, fmt.Errorf("the device is closed: %w", trnbackend.ErrFreed)
}

// DeviceOpen opens a device and returns its number. The folder for compiled programs, none if it is empty, and the list of folders in which plugins
// are come as hexadecimal digits, since file names need not be text.
func DeviceOpen(name, hexCacheDir, hexPluginDirs string) (id int64, err error) {
	defer guard(&err)
	s, err := device.Open(name, device.Options{CacheDir: decoded(hexCacheDir), PluginDirs: filepath.SplitList(decoded(hexPluginDirs))})
	if err != nil {
		return 0, err
	}
	return sessions.add(s), nil
}

// DevicesFound returns the names of the devices whose software is here, with commas between them. See DeviceOpen.
func DevicesFound(hexPluginDirs string) (names string, err error) {
	defer guard(&err)
	return strings.Join(device.Found(filepath.SplitList(decoded(hexPluginDirs))), ","), nil
}

// decoded returns the text that comes as hexadecimal digits: file names need not be text, which is all that the border passes.
func decoded(hexText string) string {
	text, err := hex.DecodeString(hexText)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// closing is what becomes of a device that is being closed.
type closing struct {
	done chan struct{} // closed in the end
	err  error
}

var devicesClosing table[*closing]

// DeviceClose begins to close a device: no call begins any more, and when those that run have ended, it is closed. It returns a number for
// DeviceClosed, 0 if the device is not there.
func DeviceClose(id int64) (number int64, err error) {
	defer guard(&err)
	s, ok := sessions.remove(id)
	if !ok {
		return 0, nil
	}
	c := &closing{done: make(chan struct{})}
	go func() {
		defer close(c.done)
		c.err = s.Close()
	}()
	return devicesClosing.add(c), nil
}

// DeviceClosed waits at most the given time for a device to be closed and returns 1 when it is, with the error that came of it; the number is then gone.
func DeviceClosed(number, milliseconds int64) (closed int64, err error) {
	defer guard(&err)
	c, ok := devicesClosing.get(number)
	if !ok {
		return 1, nil
	}
	timer := time.NewTimer(time.Duration(milliseconds) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-c.done:
		devicesClosing.remove(number)
		return 1, c.err
	case <-timer.C:
		return 0, nil
	}
}

// DeviceInfo returns a JSON object that describes a device.
func DeviceInfo(id int64) (text string, err error) {
	defer guard(&err)
	s, err := session(id)
	if err != nil {
		return "", err
	}
	memory, err := s.Memory()
	if err != nil {
		return "", err
	}
	caps := s.Caps()
	types := make([]string, len(caps.DTypes))
	for i, d := range caps.DTypes {
		types[i] = d.String()
	}
	encoded, err := json.Marshal(map[string]any{
		"name": s.Name(), "version": caps.Version, "types": types, "memory_used": memory.Used, "memory_limit": memory.Limit,
		"memory_kept": s.Kept(),
	})
	return string(encoded), err
}

// TakeReport returns the report that a call on a device left under the number as a JSON object, once.
func TakeReport(number int64) (text string, err error) {
	defer guard(&err)
	r, ok := reports.remove(number)
	if !ok {
		panic(fmt.Sprintf("no report %d", number))
	}
	encoded, err := json.Marshal(map[string]any{
		"device": r.Device, "compiles": r.Compiles, "cache_hits": r.CacheHits, "dispatches": r.Dispatches,
		"bytes_in": r.BytesIn, "bytes_out": r.BytesOut, "seconds": r.Seconds, "engines": r.Engines, "host_steps": r.HostSteps,
		"error_bound": fmt.Sprint(r.ErrorBound), // JSON has neither infinities nor NaN
	})
	return string(encoded), err
}

// onDevice runs op as a call on a device. It returns the number of the call's report.
func onDevice(jobID, threads, id int64, op func(*sched.Team, *device.Call) error) (int64, error) {
	return onDeviceFed(jobID, threads, id, nil, op)
}

// onDeviceFed is onDevice for an operation that asks Python for data through the feed.
func onDeviceFed(jobID, threads, id int64, f *feed, op func(*sched.Team, *device.Call) error) (int64, error) {
	return runFed(jobID, threads, f, func(team *sched.Team) (int64, error) {
		s, err := session(id)
		if err != nil {
			return 0, err
		}
		call, err := s.Begin(team.Context())
		if err != nil {
			return 0, err
		}
		call.Watch(func(steps int) { team.Plan(steps) }, team.Step)
		call.Reserve(func(bytes int64) error { return reserve("the call on "+s.Name(), bytes, 0) })
		ended := false
		defer func() {
			if !ended { // op panics, or fails
				call.End()
			}
		}()
		if err := op(team, call); err != nil {
			return 0, err
		}
		ended = true
		return reports.add(call.End()), nil
	})
}

// DeviceGemm does Gemm's work on a device, for real matrices, in a precision of package core/precision, or none that is said. It returns the number of the
// report.
func DeviceGemm(jobID, threads int64, a, b, c uint64, id, transA, transB int64, alpha, beta float64, precision string) (report int64, err error) {
	defer guard(&err)
	call := &blasCall{
		a: descriptor(a), b: descriptor(b), c: descriptor(c), transA: blas.Transpose(transA), transB: blas.Transpose(transB),
		alpha: complex(alpha, 0), beta: complex(beta, 0),
	}
	return onDevice(jobID, threads, id, func(_ *sched.Team, on *device.Call) error {
		if call.c.dtype == float32Code {
			return deviceGemm[float32](on, call, precision)
		}
		return deviceGemm[float64](on, call, precision)
	})
}

func deviceGemm[T dense.Float](on *device.Call, call *blasCall, precision string) error {
	p, err := product.Choose(on.Caps(), precision, call.c.dtype == float64Code)
	if err != nil {
		return err
	}
	return matmul.Gemm(on, p, call.transA != blas.NoTrans, call.transB != blas.NoTrans, T(real(call.alpha)),
		members[T](call.a), members[T](call.b), T(real(call.beta)), members[T](call.c))
}

// DeviceSyrk does Syrk's work on a device, for real matrices; see DeviceGemm.
func DeviceSyrk(jobID, threads int64, a, c uint64, id, uplo, trans int64, alpha, beta float64, precision string) (report int64, err error) {
	defer guard(&err)
	call := &blasCall{
		a: descriptor(a), c: descriptor(c), uplo: blas.Uplo(uplo), transA: blas.Transpose(trans), alpha: complex(alpha, 0), beta: complex(beta, 0),
	}
	return onDevice(jobID, threads, id, func(team *sched.Team, on *device.Call) error {
		if call.c.dtype == float32Code {
			return deviceSyrk[float32](team, on, call, precision)
		}
		return deviceSyrk[float64](team, on, call, precision)
	})
}

func deviceSyrk[T dense.Float](team *sched.Team, on *device.Call, call *blasCall, precision string) error {
	p, err := product.Choose(on.Caps(), precision, call.c.dtype == float64Code)
	if err != nil {
		return err
	}
	uplo := staging.Upper
	if call.uplo == blas.Lower {
		uplo = staging.Lower
	}
	results := members[T](call.c)
	if err := matmul.Syrk(on, p, uplo, call.transA != blas.NoTrans, T(real(call.alpha)), members[T](call.a), T(real(call.beta)), results); err != nil {
		return err
	}
	for _, c := range results {
		if err := mirror(team, call.uplo, false, c); err != nil {
			return err
		}
	}
	return nil
}

// members returns the matrices of a stack.
func members[T dense.Scalar](a *array) []dense.Matrix[T] {
	stack := newBatch[T](a)
	matrices := make([]dense.Matrix[T], stack.count())
	for k := range matrices {
		matrices[k] = stack.rowMajor(k)
	}
	return matrices
}
