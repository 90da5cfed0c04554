package pybind

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"trnsci/core/blas"
	"trnsci/core/dense"
	"trnsci/core/sched"
	"trnsci/pybind/record"
	"trnsci/trnbackend"
	"trnsci/trnbackend/device"
	"trnsci/trnbackend/programs/matmul"
	"trnsci/trnbackend/programs/product"
	"trnsci/trnbackend/programs/staging"
)

// table assigns the numbers by which Python refers to Go objects.
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

// DeviceOpen opens a device and returns its number.
func DeviceOpen(address uint64) (id int64, err error) {
	defer guard(&err)
	c := record.At[record.DeviceOpen](address)
	s, err := device.Open(c.Name, device.Options{CacheDir: c.CacheDir, PluginDirs: filepath.SplitList(c.PluginDirs)})
	if err != nil {
		return 0, err
	}
	return sessions.add(s), nil
}

// DevicesFound returns the names of the devices whose software is installed, separated by commas.
func DevicesFound(address uint64) (names string, err error) {
	defer guard(&err)
	c := record.At[record.DevicesFound](address)
	return strings.Join(device.Found(filepath.SplitList(c.PluginDirs)), ","), nil
}

// closing is a device that is being closed.
type closing struct {
	done chan struct{} // closed when the device is closed
	err  error
}

var devicesClosing table[*closing]

// DeviceClose begins to close a device: it refuses new calls, and the device closes when the running calls have ended.
// It returns a number for DeviceClosed, or 0 if there is no such device.
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

// DeviceClosed waits at most the given time for a device to close. When it is closed, DeviceClosed returns 1 and the
// error of closing, and the number becomes invalid.
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

// TakeReport returns, as a JSON object, the report that a call on a device stored under the number, and forgets it.
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

// onDevice runs op as a call on a device and returns the number of the call's report. The operation requests data from
// Python through f, which is nil if it needs none.
func onDevice(jobID int64, threads record.Team, id int, f *callback,
	op func(*sched.Team, *device.Call) error) (int64, error) {
	return runWithCallback(jobID, threads, f, func(team *sched.Team) (int64, error) {
		s, err := session(int64(id))
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
			if !ended { // op panicked or failed
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

// DeviceGemm is Gemm for real matrices on a device, in a precision of package core/precision; an empty name is the
// default one. It returns the number of the report.
func DeviceGemm(jobID int64, address uint64) (report int64, err error) {
	defer guard(&err)
	c := record.At[record.DeviceProduct](address)
	if c.B == nil {
		panic("no operand b")
	}
	return onDevice(jobID, c.Team, c.Device, nil, func(_ *sched.Team, on *device.Call) error {
		if c.C.Dtype == record.Float32 {
			return deviceGemm[float32](on, c)
		}
		return deviceGemm[float64](on, c)
	})
}

func deviceGemm[T dense.Float](on *device.Call, c *record.DeviceProduct) error {
	p, err := product.Choose(on.Caps(), c.Precision, c.C.Dtype == record.Float64)
	if err != nil {
		return err
	}
	transA, transB := blas.Transpose(c.TransA) != blas.NoTrans, blas.Transpose(c.TransB) != blas.NoTrans
	return matmul.Gemm(on, p, transA, transB, T(c.Alpha), members[T](c.A), members[T](c.B), T(c.Beta), members[T](c.C))
}

// DeviceSyrk is Syrk for real matrices on a device; see DeviceGemm.
func DeviceSyrk(jobID int64, address uint64) (report int64, err error) {
	defer guard(&err)
	c := record.At[record.DeviceProduct](address)
	return onDevice(jobID, c.Team, c.Device, nil, func(team *sched.Team, on *device.Call) error {
		if c.C.Dtype == record.Float32 {
			return deviceSyrk[float32](team, on, c)
		}
		return deviceSyrk[float64](team, on, c)
	})
}

func deviceSyrk[T dense.Float](team *sched.Team, on *device.Call, c *record.DeviceProduct) error {
	p, err := product.Choose(on.Caps(), c.Precision, c.C.Dtype == record.Float64)
	if err != nil {
		return err
	}
	uplo := staging.Upper
	if blas.Uplo(c.Uplo) == blas.Lower {
		uplo = staging.Lower
	}
	trans, results := blas.Transpose(c.TransA) != blas.NoTrans, members[T](c.C)
	if err := matmul.Syrk(on, p, uplo, trans, T(c.Alpha), members[T](c.A), T(c.Beta), results); err != nil {
		return err
	}
	for _, result := range results {
		if err := mirror(team, blas.Uplo(c.Uplo), false, result); err != nil {
			return err
		}
	}
	return nil
}

// members returns the matrices of a stack.
func members[T dense.Scalar](a *record.Array) []dense.Matrix[T] {
	stack := newBatch[T](a)
	matrices := make([]dense.Matrix[T], stack.count())
	for k := range matrices {
		matrices[k] = stack.rowMajor(k)
	}
	return matrices
}
