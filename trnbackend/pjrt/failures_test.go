package pjrt

import (
	"context"
	"errors"
	"testing"

	"trnsci/trnbackend"
	"trnsci/trnbackend/graph"
)

// fakeDriver counts its live objects. fails has the errors of methods by their names.
type fakeDriver struct {
	fails    map[string]error
	results  int // of every program
	programs int
	buffers  int
	closed   bool
}

func (d *fakeDriver) describe() (description, error) {
	return description{"fake", "1", "none", "0.104"}, d.fails["describe"]
}

func (d *fakeDriver) made(count *int, method string) (handle, error) {
	if err := d.fails[method]; err != nil {
		return nil, err
	}
	*count++
	return handle(new(byte)), nil
}

func (d *fakeDriver) compile(_, _ []byte) (handle, error) { return d.made(&d.programs, "compile") }
func (d *fakeDriver) deserialize([]byte) (handle, error)  { return d.made(&d.programs, "deserialize") }
func (d *fakeDriver) serialize(handle) ([]byte, error)    { return []byte("code"), d.fails["serialize"] }
func (d *fakeDriver) outputs(handle) (int, error)         { return d.results, d.fails["outputs"] }
func (d *fakeDriver) download(handle, int, []byte) error  { return d.fails["download"] }
func (d *fakeDriver) memory() (trnbackend.Memory, error) {
	return trnbackend.Memory{Limit: 1000}, d.fails["memory"]
}
func (d *fakeDriver) upload(int, []int64, []byte) (handle, error) {
	return d.made(&d.buffers, "upload")
}

func (d *fakeDriver) execute(_ handle, _, out []handle, _ []int64) (err error) {
	for i := range out {
		if out[i], err = d.made(&d.buffers, "execute"); err != nil {
			return err
		}
	}
	return nil
}

func (d *fakeDriver) freeProgram(handle) error {
	d.programs--
	return d.fails["freeProgram"]
}

func (d *fakeDriver) freeBuffer(handle) error {
	d.buffers--
	return d.fails["freeBuffer"]
}

func (d *fakeDriver) close() error {
	d.closed = true
	return d.fails["close"]
}

// onFake returns an executor on a driver without failures.
func onFake(t *testing.T) (*Executor, *fakeDriver) {
	t.Helper()
	d := &fakeDriver{fails: map[string]error{}, results: 1}
	e, err := newExecutor(Options{Name: "pjrt:fake", Path: place(t, t.TempDir(), "fake.so")}, d)
	if err != nil {
		t.Fatal(err)
	}
	return e, d
}

var (
	errBroken = &pluginError{"broken", 13}
	errLacks  = &pluginError{"lacks that", unimplemented}
)

// failed requires a DeviceError around errBroken.
func failed(t *testing.T, what string, err error) {
	t.Helper()
	if d := (*trnbackend.DeviceError)(nil); !errors.As(err, &d) || d.Device != "pjrt:fake" ||
		!errors.Is(err, errBroken) {
		t.Errorf("%s: the error is %v", what, err)
	}
}

// lacking requires an UnsupportedError.
func lacking(t *testing.T, what string, err error) {
	t.Helper()
	if u := (*trnbackend.UnsupportedError)(nil); !errors.As(err, &u) || u.Device != "pjrt:fake" {
		t.Errorf("%s: the error is %v", what, err)
	}
}

func TestFailuresOfCompilers(t *testing.T) {
	e, d := onFake(t)
	g := accumulate(t, 2)
	for _, method := range []string{"compile", "outputs"} {
		d.fails[method] = errBroken
		_, err := e.Compile(context.Background(), g)
		failed(t, method, err)
		delete(d.fails, method)
	}
	d.results = 2 // more than there is room for
	if p, err := e.Compile(context.Background(), g); err == nil {
		t.Errorf("%v has another number of results than its graph", p)
	}
	d.results = 1
	stopped, stop := context.WithCancelCause(context.Background())
	stop(errBroken)
	if _, err := e.Compile(stopped, g); !errors.Is(err, errBroken) {
		t.Errorf("compiling in a context that is done: %v", err)
	}
	double := graphOf(t, func(b *graph.Builder) { b.Result("r", b.Parameter("x", graph.Of(graph.F64, 1))) })
	_, err := e.Compile(context.Background(), double)
	lacking(t, "double precision on a platform that is not XLA", err)
	_, err = e.Upload(graph.Of(graph.F64, 1), make([]byte, 8))
	lacking(t, "an array of double precision", err)
	if d.programs != 0 {
		t.Errorf("%d programs are left", d.programs)
	}
}

func TestFailuresOfRuns(t *testing.T) {
	e, d := onFake(t)
	p := compiled(t, e, accumulate(t, 2))
	state, step, out := uploadTo(t, e, 1, 2), uploadTo(t, e, 3, 4), make([]trnbackend.Buffer, 1)
	d.fails["execute"] = errBroken
	failed(t, "running", p.Run([]trnbackend.Buffer{state, step}, out))
	if out[0] != nil {
		t.Error("a run that failed has a result")
	}
	if err := state.Download(make([]byte, 8)); !errors.Is(err, trnbackend.ErrFreed) {
		t.Errorf("a run that failed has not taken the donated buffer: %v", err)
	}
	alive(t, e, 1, 1)
	d.fails["download"] = errBroken
	failed(t, "downloading", step.Download(make([]byte, 8)))
	d.fails["upload"] = errBroken
	_, err := e.Upload(graph.Of(graph.F32), make([]byte, 4))
	failed(t, "uploading", err)
	d.fails["memory"] = errBroken
	_, err = e.Memory()
	failed(t, "asking for the memory", err)
	d.fails["freeProgram"] = errBroken
	failed(t, "closing a program", p.Close())
	step.Free()
	if d.buffers != 0 || d.programs != 0 {
		t.Errorf("%d buffers and %d programs are left", d.buffers, d.programs)
	}
}

func TestPluginsThatCannotSerialize(t *testing.T) {
	e, d := onFake(t)
	p := compiled(t, e, accumulate(t, 2))
	data, err := e.Serialize(p)
	if err != nil {
		t.Fatal(err)
	}
	d.fails["serialize"], d.fails["deserialize"] = errLacks, errLacks
	_, err = e.Serialize(p)
	lacking(t, "serializing", err)
	_, err = e.Load(p.Graph(), data)
	lacking(t, "loading", err)
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if _, err := e.Serialize(p); !errors.Is(err, trnbackend.ErrFreed) {
		t.Errorf("serializing a closed program: %v", err)
	}
}

func TestFailuresOfClosing(t *testing.T) {
	e, d := onFake(t)
	compiled(t, e, accumulate(t, 2))
	x := uploadTo(t, e, 1, 2)
	d.fails["freeBuffer"] = errBroken
	failed(t, "closing", e.Close())
	if err := e.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	x.Free()
	if !d.closed || d.buffers != 0 || d.programs != 0 {
		t.Errorf("%d buffers and %d programs are left", d.buffers, d.programs)
	}
}

func TestNewExecutorAsksThePlugin(t *testing.T) {
	e, _ := onFake(t)
	if m, err := e.Memory(); err != nil || m.Limit != 1000 || e.Caps().Memory != 1000 {
		t.Errorf("memory %v: %v", m, err)
	}
	o := Options{Name: "pjrt:fake", Path: place(t, t.TempDir(), "fake.so")}
	for _, method := range []string{"describe", "memory"} {
		if _, err := newExecutor(o, &fakeDriver{fails: map[string]error{method: errBroken}}); !errors.Is(err,
			errBroken) {
			t.Errorf("%s: %v", method, err)
		}
	}
	e, err := newExecutor(o, &fakeDriver{fails: map[string]error{"memory": errLacks}})
	if err != nil {
		t.Fatal(err)
	}
	uploadTo(t, e, 1, 2, 3)
	if m, err := e.Memory(); err != nil || m.Used != 12 {
		t.Errorf("3 singles take %d bytes: %v", m.Used, err)
	}
}
