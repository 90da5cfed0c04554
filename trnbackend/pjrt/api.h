// The parts of the PJRT C API that client.c uses: positions in the table of functions, and their arguments.
//
// These are facts of an interface: version 0.104 of xla/pjrt/c/pjrt_c_api.h in github.com/openxla/xla (Apache-2.0), declared anew. The
// interface only grows: a plugin of another minor version has the same functions at the same places, fields are appended to arguments, and
// struct_size tells the plugin how many of them the caller knows. Every struct is zeroed before use.
#ifndef TRNSCI_PJRT_API_H
#define TRNSCI_PJRT_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The versions that are used: the major version and the oldest minor one.
enum { PJ_MAJOR = 0, PJ_OLDEST_MINOR = 81 };

// Positions of functions in the table.
enum {
  PJ_ERROR_DESTROY = 0,
  PJ_ERROR_MESSAGE = 1,
  PJ_ERROR_GET_CODE = 2,
  PJ_PLUGIN_INITIALIZE = 3,
  PJ_EVENT_DESTROY = 5,
  PJ_EVENT_AWAIT = 8,
  PJ_CLIENT_CREATE = 10,
  PJ_CLIENT_DESTROY = 11,
  PJ_CLIENT_PLATFORM_NAME = 12,
  PJ_CLIENT_PLATFORM_VERSION = 14,
  PJ_CLIENT_ADDRESSABLE_DEVICES = 16,
  PJ_CLIENT_COMPILE = 20,
  PJ_CLIENT_BUFFER_FROM_HOST_BUFFER = 22,
  PJ_DEVICE_DESCRIPTION_KIND = 26,
  PJ_DEVICE_GET_DESCRIPTION = 29,
  PJ_DEVICE_MEMORY_STATS = 34,
  PJ_EXECUTABLE_DESTROY = 40,
  PJ_EXECUTABLE_NUM_OUTPUTS = 44,
  PJ_EXECUTABLE_SERIALIZE = 49,
  PJ_LOADED_EXECUTABLE_DESTROY = 50,
  PJ_LOADED_EXECUTABLE_GET_EXECUTABLE = 51,
  PJ_LOADED_EXECUTABLE_EXECUTE = 55,
  PJ_EXECUTABLE_DESERIALIZE_AND_LOAD = 56,
  PJ_BUFFER_DESTROY = 58,
  PJ_BUFFER_GET_MEMORY_LAYOUT = 63,
  PJ_BUFFER_ON_DEVICE_SIZE = 64,
  PJ_BUFFER_TO_HOST_BUFFER = 70,
  PJ_BUFFER_IS_ON_CPU = 71,
  PJ_BUFFER_READY_EVENT = 72,
  PJ_BUFFER_UNSAFE_POINTER = 73,
};

// Codes of errors.
enum { PJ_RESOURCE_EXHAUSTED = 8, PJ_UNIMPLEMENTED = 12 };

// What the plugin makes. Only pointers to these are handed about.
typedef struct pj_error pj_error;
typedef struct pj_event pj_event;
typedef struct pj_client pj_client;
typedef struct pj_device pj_device;
typedef struct pj_device_description pj_device_description;
typedef struct pj_executable pj_executable;
typedef struct pj_loaded_executable pj_loaded_executable;
typedef struct pj_serialized_executable pj_serialized_executable;
typedef struct pj_buffer pj_buffer;

// All functions have this form but for those that destroy an error or read its message, which return nothing.
typedef pj_error *(*pj_function)(void *args);

// What every struct begins with.
#define PJ_HEAD      \
  size_t struct_size; \
  void *extensions

typedef struct {
  PJ_HEAD;
  struct {
    PJ_HEAD;
    int major, minor;
  } version;
  pj_function functions[];  // struct_size says how many
} pj_api;

// For functions of one handle and no result: error, event, client, executable and buffer to destroy, event to wait for.
typedef struct {
  PJ_HEAD;
  void *handle;
} pj_handle_args;

// For functions that return a pointer for a handle: the description of a device, the executable of a loaded one, the event and the address of
// a buffer.
typedef struct {
  PJ_HEAD;
  const void *handle;
  void *result;  // out
} pj_part_args;

// For functions that return text for a handle, which lives as long: message of an error, name and version of a platform, kind of device.
typedef struct {
  PJ_HEAD;
  const void *handle;
  const char *text;  // out
  size_t size;       // out
} pj_text_args;

typedef struct {
  PJ_HEAD;
  const pj_error *error;
  int code;  // out
} pj_code_args;

typedef struct {
  PJ_HEAD;
} pj_initialize_args;

// A named option of a client.
typedef struct {
  PJ_HEAD;
  const char *name;
  size_t name_size;
  int type;  // one of the next enum
  union {
    const char *text;
    int64_t integer;
    float real;
    bool flag;
  };
  size_t size;  // of the text; 1 for others
} pj_option;

enum { PJ_TEXT = 0, PJ_INTEGER = 1, PJ_REAL = 3, PJ_FLAG = 4 };

typedef struct {
  PJ_HEAD;
  const pj_option *options;
  size_t count;
  void *get, *get_arg, *put, *put_arg;  // callbacks of clusters
  pj_client *client;                    // out
  void *try_get, *try_get_arg;
} pj_create_args;

typedef struct {
  PJ_HEAD;
  pj_client *client;
  pj_device *const *devices;  // out
  size_t count;               // out
} pj_devices_args;

typedef struct {
  PJ_HEAD;
  const char *code;
  size_t code_size;
  const char *format;
  size_t format_size;
} pj_program;

typedef struct {
  PJ_HEAD;
  pj_client *client;
  const pj_program *program;
  const char *options;  // a serialized CompileOptionsProto
  size_t options_size;
  pj_loaded_executable *executable;  // out
} pj_compile_args;

// The order of an array's dimensions in memory, the fastest first.
typedef struct {
  PJ_HEAD;
  const int64_t *minor_to_major;
  size_t rank;
  const int64_t *tile_dims;
  const size_t *tile_sizes;
  size_t tiles;
} pj_tiled;

typedef struct {
  PJ_HEAD;
  pj_tiled tiled;
  int type;  // PJ_TILED
} pj_layout;

enum { PJ_TILED = 0 };

typedef struct {
  PJ_HEAD;
  pj_client *client;
  const void *data;
  int type;
  const int64_t *dims;
  size_t rank;
  const int64_t *strides;  // NULL for row-major
  size_t strides_count;
  int semantics;  // PJ_IMMUTABLE_ONLY_DURING_CALL
  pj_device *device;
  void *memory;         // NULL for the device's own
  pj_layout *layout;    // NULL for row-major
  pj_event *done;       // out
  pj_buffer *buffer;    // out
} pj_upload_args;

// The plugin copies what it is given before it returns.
enum { PJ_IMMUTABLE_ONLY_DURING_CALL = 0 };

typedef struct {
  PJ_HEAD;
  pj_buffer *buffer;
  pj_layout *layout;  // of the copy; NULL for that of the buffer
  void *data;
  size_t size;
  pj_event *done;  // out
} pj_download_args;

// Where the elements of a buffer lie. The layout lives as long as the buffer.
typedef struct {
  PJ_HEAD;
  const pj_buffer *buffer;
  pj_layout layout;  // out
} pj_buffer_layout_args;

typedef struct {
  PJ_HEAD;
  const pj_buffer *buffer;
  size_t size;  // out
} pj_buffer_size_args;

typedef struct {
  PJ_HEAD;
  const pj_buffer *buffer;
  bool on_cpu;  // out
} pj_on_cpu_args;

typedef struct {
  PJ_HEAD;
  pj_executable *executable;
  size_t count;  // out
} pj_outputs_args;

typedef struct {
  PJ_HEAD;
  void *send, *receive;  // callbacks
  size_t sends, receives;
  int launch;
  const int64_t *not_donated;  // inputs that keep their buffers
  size_t not_donated_count;
  void *context;
  const char *call_location;
  size_t tasks;
  int *task_ids;
  int64_t *incarnations;
  void *multi_slice;
} pj_execute_options;

typedef struct {
  PJ_HEAD;
  pj_loaded_executable *executable;
  pj_execute_options *options;
  pj_buffer *const *const *in;  // a list for each device
  size_t devices;
  size_t in_count;
  pj_buffer **const *out;  // a list for each device
  pj_event **done;         // NULL if nobody waits for the run
  pj_device *device;       // NULL for that of the compile options
} pj_execute_args;

typedef struct {
  PJ_HEAD;
  const pj_executable *executable;
  const char *bytes;                                // out
  size_t size;                                      // out
  pj_serialized_executable *owner;                  // out
  void (*destroy)(pj_serialized_executable *owner);  // out
} pj_serialize_args;

typedef struct {
  PJ_HEAD;
  pj_client *client;
  const char *bytes;
  size_t size;
  pj_loaded_executable *executable;  // out
  const char *options;               // NULL for those that were serialized
  size_t options_size;
} pj_load_args;

// A figure that may be unknown.
typedef struct {
  int64_t value;
  bool known;
} pj_figure;

typedef struct {
  PJ_HEAD;
  pj_device *device;
  int64_t used;
  pj_figure peak, allocations, largest, limit, reserved, peak_reserved, reservable, largest_free, pool, peak_pool;
} pj_memory_args;

// Sizes of version 0.104 on machines with pointers of 64 bits. struct_size is sizeof, with the padding behind the last field, which is zeroed too.
_Static_assert(offsetof(pj_api, functions) == 40, "pj_api");
_Static_assert(sizeof(pj_option) == 56, "pj_option");
_Static_assert(sizeof(pj_create_args) == 88 && offsetof(pj_create_args, client) == 64, "pj_create_args");
_Static_assert(sizeof(pj_program) == 48, "pj_program");
_Static_assert(sizeof(pj_compile_args) == 56, "pj_compile_args");
_Static_assert(sizeof(pj_tiled) == 56, "pj_tiled");
_Static_assert(sizeof(pj_layout) == 80 && offsetof(pj_layout, type) == 72, "pj_layout");
_Static_assert(sizeof(pj_upload_args) == 120, "pj_upload_args");
_Static_assert(sizeof(pj_download_args) == 56, "pj_download_args");
_Static_assert(sizeof(pj_buffer_layout_args) == 104 && offsetof(pj_buffer_layout_args, layout) == 24, "pj_buffer_layout_args");
_Static_assert(sizeof(pj_buffer_size_args) == 32 && sizeof(pj_on_cpu_args) == 32, "arguments of buffers");
_Static_assert(sizeof(pj_execute_options) == 120 && offsetof(pj_execute_options, not_donated) == 56, "pj_execute_options");
_Static_assert(sizeof(pj_execute_args) == 80, "pj_execute_args");
_Static_assert(sizeof(pj_serialize_args) == 56, "pj_serialize_args");
_Static_assert(sizeof(pj_load_args) == 64, "pj_load_args");
_Static_assert(sizeof(pj_memory_args) == 192 && offsetof(pj_memory_args, limit) == 80, "pj_memory_args");

#endif
