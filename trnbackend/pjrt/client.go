//go:build linux && cgo

package pjrt

/*
#cgo LDFLAGS: -ldl
#include <stdlib.h>
#include "client.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"sync"
	"unsafe"

	"trnsci/trnbackend"
)

// canLoad reports whether this build has the C part that loads plugins.
const canLoad = true

// plugins are the loaded shared libraries, by their real paths. Each is loaded and initialized once and is never
// unloaded.
var plugins = struct {
	mu     sync.Mutex
	tables map[string]*C.pj_api
}{tables: map[string]*C.pj_api{}}

// maxSerialized is the largest size of a serialized program in bytes: C.GoBytes takes a 32-bit length.
const maxSerialized = math.MaxInt32

// client is the driver for the first device of a plugin.
type client struct {
	session C.pj_session
}

// errorOf converts a failure of client.c to an error and frees it.
func errorOf(f C.pj_failure) error {
	if f.message == nil {
		return nil
	}
	defer C.free(unsafe.Pointer(f.message))
	return &pluginError{C.GoString(f.message), int(f.code)}
}

// newDriver loads the plugin and makes a client with the options.
func newDriver(path string, options ClientOptions) (driver, error) {
	api, err := loadPlugin(path)
	if err != nil {
		return nil, err
	}
	c := &client{}
	given := newOptions(options)
	defer given.free()
	if err := errorOf(C.pj_open(api, given.first, C.size_t(len(options)), &c.session)); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return c, nil
}

// loadPlugin returns the table of functions of a plugin, the same table for all paths to one file.
func loadPlugin(path string) (*C.pj_api, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	plugins.mu.Lock()
	defer plugins.mu.Unlock()
	if api, ok := plugins.tables[real]; ok {
		return api, nil
	}
	name := C.CString(real)
	defer C.free(unsafe.Pointer(name))
	var api *C.pj_api
	if err := errorOf(C.pj_load(name, &api)); err != nil {
		return nil, err
	}
	if v := api.version; v.major != C.PJ_MAJOR || v.minor < C.PJ_OLDEST_MINOR {
		return nil, fmt.Errorf("it speaks version %d.%d of the PJRT API, %d.%d or a newer %d.x is needed",
			v.major, v.minor, C.PJ_MAJOR, C.PJ_OLDEST_MINOR, C.PJ_MAJOR)
	}
	if err := errorOf(C.pj_initialize(api)); err != nil {
		return nil, fmt.Errorf("initializing the plugin: %w", err)
	}
	plugins.tables[real] = api
	return api, nil
}

// optionList is a C array of options with the text that it points to.
type optionList struct {
	first *C.pj_option
	text  []*C.char
}

// newOptions copies options, which Open has checked, to C.
func newOptions(options ClientOptions) *optionList {
	list := &optionList{first: (*C.pj_option)(C.calloc(C.size_t(len(options)+1), C.sizeof_pj_option))}
	places := unsafe.Slice(list.first, len(options)+1)
	for i, name := range options.names() {
		place, key := &places[i], list.keep(name)
		switch value := options[name].(type) {
		case string:
			C.pj_set_text(place, key, list.keep(value))
		case int64:
			C.pj_set_integer(place, key, C.int64_t(value))
		case float32:
			C.pj_set_real(place, key, C.float(value))
		case bool:
			C.pj_set_flag(place, key, C.bool(value))
		}
	}
	return list
}

func (l *optionList) keep(s string) *C.char {
	l.text = append(l.text, C.CString(s))
	return l.text[len(l.text)-1]
}

func (l *optionList) free() {
	for _, s := range l.text {
		C.free(unsafe.Pointer(s))
	}
	C.free(unsafe.Pointer(l.first))
}

func (c *client) describe() (description, error) {
	var platform, version, kind C.pj_text
	if err := errorOf(C.pj_describe(&c.session, &platform, &version, &kind)); err != nil {
		return description{}, fmt.Errorf("asking for the platform: %w", err)
	}
	api := c.session.api.version
	text := func(t C.pj_text) string { return C.GoStringN(t.text, C.int(t.size)) }
	return description{text(platform), text(version), text(kind), fmt.Sprintf("%d.%d", api.major, api.minor)}, nil
}

func (c *client) compile(code, options []byte) (handle, error) {
	var made *C.pj_loaded_executable
	f := C.pj_compile(&c.session, start(code), C.size_t(len(code)), start(options), C.size_t(len(options)), &made)
	return handle(made), errorOf(f)
}

func (c *client) deserialize(data []byte) (handle, error) {
	var made *C.pj_loaded_executable
	f := C.pj_deserialize(&c.session, start(data), C.size_t(len(data)), &made)
	return handle(made), errorOf(f)
}

func (c *client) serialize(program handle) ([]byte, error) {
	var made C.pj_serialize_args
	if err := errorOf(C.pj_serialize(&c.session, (*C.pj_loaded_executable)(program), &made)); err != nil {
		return nil, err
	}
	defer C.pj_end_serialized(&made)
	if uint64(made.size) > maxSerialized {
		return nil, errors.New("the serialized program is too large")
	}
	return C.GoBytes(unsafe.Pointer(made.bytes), C.int(made.size)), nil
}

func (c *client) outputs(program handle) (int, error) {
	var count C.size_t
	err := errorOf(C.pj_outputs(&c.session, (*C.pj_loaded_executable)(program), &count))
	return int(count), err
}

func (c *client) freeProgram(program handle) error {
	return errorOf(C.pj_free_executable(&c.session, (*C.pj_loaded_executable)(program)))
}

func (c *client) execute(program handle, in, out []handle, kept []int64) error {
	return errorOf(C.pj_execute(&c.session, (*C.pj_loaded_executable)(program), handles(in), C.size_t(len(in)),
		(*C.int64_t)(unsafe.SliceData(kept)), C.size_t(len(kept)), handles(out)))
}

// handles returns a list of buffers for C: Go memory without pointers to Go memory.
func handles(list []handle) **C.pj_buffer {
	return (**C.pj_buffer)(unsafe.Pointer(unsafe.SliceData(list)))
}

func (c *client) upload(kind int, dims []int64, data []byte) (handle, error) {
	var made *C.pj_buffer
	f := C.pj_upload(&c.session, start(data), C.int(kind), (*C.int64_t)(unsafe.SliceData(dims)), C.size_t(len(dims)),
		&made)
	return handle(made), errorOf(f)
}

func (c *client) download(buffer handle, rank int, data []byte) error {
	minorToMajor := make([]int64, rank)
	for i := range minorToMajor {
		minorToMajor[i] = int64(rank - 1 - i)
	}
	return errorOf(C.pj_download(&c.session, (*C.pj_buffer)(buffer), (*C.int64_t)(unsafe.SliceData(minorToMajor)),
		C.size_t(rank),
		start(data), C.size_t(len(data))))
}

func (c *client) freeBuffer(buffer handle) error {
	return errorOf(C.pj_free_buffer(&c.session, (*C.pj_buffer)(buffer)))
}

func (c *client) memory() (trnbackend.Memory, error) {
	var used C.int64_t
	var limit C.pj_figure
	if err := errorOf(C.pj_memory(&c.session, &used, &limit)); err != nil {
		return trnbackend.Memory{}, err
	}
	m := trnbackend.Memory{Used: int64(used)}
	if limit.known {
		m.Limit = int64(limit.value)
	}
	return m, nil
}

func (c *client) close() error { return errorOf(C.pj_close(&c.session)) }

// start returns the address of bytes. It is never nil, which plugins do not take for an empty array.
func start(data []byte) unsafe.Pointer {
	if len(data) == 0 {
		return unsafe.Pointer(new(byte))
	}
	return unsafe.Pointer(unsafe.SliceData(data))
}
