package pjrt

import (
	"encoding/binary"
	"fmt"
	"maps"
	"reflect"
	"slices"
)

// Options are the arguments of Open.
type Options struct {
	Name   string        // of the device, as users write it
	Path   string        // of the plugin, absolute
	Client ClientOptions // nil for those that DefaultClient has for the name
}

// ClientOptions are options that a plugin takes for a client, each a string, an int64, a float32 or a bool. Plugins
// refuse or ignore unknown ones.
type ClientOptions map[string]any

// knownOptions are options of XLA's plugins with values of their types: older plugins end the process if an option has
// another type.
var knownOptions = ClientOptions{
	"cpu_device_count": int64(0), "memory_fraction": float32(0), "platform_name": "", "preallocate": false,
}

// DefaultClient returns the options for a device: on an NVIDIA card memory is taken as it is needed, and not most of it
// at once.
func DefaultClient(name string) ClientOptions {
	if name == CUDA {
		return ClientOptions{"platform_name": platformCUDA, "preallocate": false}
	}
	return ClientOptions{}
}

// names returns the options' names in order.
func (o ClientOptions) names() []string { return slices.Sorted(maps.Keys(o)) }

// check requires types that plugins take, and the right ones for known options.
func (o ClientOptions) check() error {
	for _, name := range o.names() {
		switch o[name].(type) {
		case string, int64, float32, bool:
		default:
			return fmt.Errorf("the client's option %q is a %T, not a string, int64, float32 or bool", name, o[name])
		}
		if known, ok := knownOptions[name]; ok && reflect.TypeOf(known) != reflect.TypeOf(o[name]) {
			return fmt.Errorf("the client's option %q is a %T, not a %T", name, o[name], known)
		}
	}
	return nil
}

// Flags of XLA that change results. They are switched off.
const (
	fastMinMax = "xla_cpu_enable_fast_min_max" // on the host: the maximum of a number and NaN may be the number
	// a conversion to bf16 and back may be left out, which loses the split of x
	excess = "xla_allow_excess_precision"
)

// compileOptions returns a serialized CompileOptionsProto (xla/pjrt/proto/compile_options.proto): one replica of one
// partition, on device 0. XLA ends the process if the counts are missing. The flags named by off are switched off.
func compileOptions(off ...string) []byte {
	devices := appendMessage(nil, 1, []byte{0})  // replica_device_ids, packed
	assignment := appendInteger(nil, 1, 1)       // replica_count
	assignment = appendInteger(assignment, 2, 1) // computation_count
	assignment = appendMessage(assignment, 3, devices)
	build := appendInteger(nil, 1, -1) // device_ordinal: that of the assignment
	build = appendInteger(build, 4, 1) // num_replicas
	build = appendInteger(build, 5, 1) // num_partitions
	build = appendMessage(build, 9, assignment)
	options := appendMessage(nil, 3, build) // executable_build_options
	for _, name := range off {
		flag := appendMessage(nil, 1, []byte(name))
		flag = appendMessage(flag, 2, appendInteger(nil, 2, 0)) // bool_field
		options = appendMessage(options, 7, flag)               // env_option_overrides
	}
	return options
}

// Kinds of fields in the wire format of Protocol Buffers: the lowest bits of a field's tag.
const (
	wireVarint = 0
	wireBytes  = 2
	wireBits   = 3 // number of these bits
)

func appendInteger(b []byte, field uint64, x int64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(b, field<<wireBits|wireVarint), uint64(x))
}

func appendMessage(b []byte, field uint64, m []byte) []byte {
	b = binary.AppendUvarint(b, field<<wireBits|wireBytes)
	return append(binary.AppendUvarint(b, uint64(len(m))), m...)
}

// Names of platforms, as plugins report them. JAX's plugin for NVIDIA cards reports the name in the client's options,
// or "gpu".
const (
	platformCPU  = "cpu"
	platformCUDA = "cuda"
	platformGPU  = "gpu"
)
