//go:build linux && cgo

#include "client.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

// ARGS declares arguments that are zero but for their size.
#define ARGS(type, name, ...) type name = {.struct_size = sizeof(type), __VA_ARGS__}

static const pj_failure none = {NULL, 0};

static pj_failure fail(const char *message) {
  return (pj_failure){strdup(message ? message : "unknown error"), 0};
}

// has reports whether the plugin has a function.
static bool has(const pj_api *api, int function) {
  return api->struct_size >= offsetof(pj_api, functions) + (function + 1) * sizeof(pj_function) && api->functions[function];
}

// on_error calls one of the two functions on errors that return nothing.
static void on_error(const pj_api *api, int function, void *args) {
  ((void (*)(void *))(void (*)(void))api->functions[function])(args);
}

static void destroy_error(const pj_api *api, pj_error *error) {
  ARGS(pj_handle_args, args, .handle = error);
  on_error(api, PJ_ERROR_DESTROY, &args);
}

// take turns an error of the plugin into a failure and destroys it.
static pj_failure take(const pj_api *api, pj_error *error) {
  if (!error) return none;
  ARGS(pj_text_args, message, .handle = error);
  on_error(api, PJ_ERROR_MESSAGE, &message);
  ARGS(pj_code_args, code, .error = error);
  pj_error *second = api->functions[PJ_ERROR_GET_CODE](&code);
  if (second) destroy_error(api, second);
  pj_failure f = {strndup(message.text, message.size), code.code};
  destroy_error(api, error);
  return f;
}

// call calls a function of the plugin.
static pj_failure call(const pj_api *api, int function, void *args) {
  if (!has(api, function)) return (pj_failure){strdup("the plugin has no such function"), PJ_UNIMPLEMENTED};
  return take(api, api->functions[function](args));
}

// on_handle calls a function of one handle.
static pj_failure on_handle(const pj_api *api, int function, void *handle) {
  ARGS(pj_handle_args, args, .handle = handle);
  return call(api, function, &args);
}

// wait waits for an event and destroys it. An event that is not there has happened.
static pj_failure wait(const pj_api *api, pj_event *event) {
  if (!event) return none;
  pj_failure f = on_handle(api, PJ_EVENT_AWAIT, event);
  pj_failure second = on_handle(api, PJ_EVENT_DESTROY, event);
  if (!f.message) return second;
  free(second.message);
  return f;
}

// part gets the handle that belongs to another one.
static pj_failure part(const pj_api *api, int function, const void *handle, void **result) {
  ARGS(pj_part_args, args, .handle = handle);
  pj_failure f = call(api, function, &args);
  *result = args.result;
  return f;
}

static pj_failure text(const pj_api *api, int function, const void *handle, pj_text *result) {
  ARGS(pj_text_args, args, .handle = handle);
  pj_failure f = call(api, function, &args);
  *result = (pj_text){args.text, args.size};
  return f;
}

pj_failure pj_load(const char *path, const pj_api **api) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return fail(dlerror());
  const pj_api *(*get)(void) = (const pj_api *(*)(void))dlsym(library, "GetPjrtApi");
  if (!get) {
    dlclose(library);
    return fail("it is a shared library but no PJRT plugin: it has no function GetPjrtApi");
  }
  *api = get();
  if (!*api || (*api)->struct_size < offsetof(pj_api, functions)) return fail("its function GetPjrtApi gives no table");
  return none;
}

pj_failure pj_initialize(const pj_api *api) {
  if (!has(api, PJ_BUFFER_TO_HOST_BUFFER)) return fail("its table of functions is too short");
  if (!has(api, PJ_PLUGIN_INITIALIZE)) return none;
  ARGS(pj_initialize_args, args);
  return call(api, PJ_PLUGIN_INITIALIZE, &args);
}

static void set(pj_option *o, const char *name, int type, size_t size) {
  o->struct_size = sizeof *o;
  o->name = name;
  o->name_size = strlen(name);
  o->type = type;
  o->size = size;
}

void pj_set_text(pj_option *o, const char *name, const char *value) {
  set(o, name, PJ_TEXT, strlen(value));
  o->text = value;
}

void pj_set_integer(pj_option *o, const char *name, int64_t value) {
  set(o, name, PJ_INTEGER, 1);
  o->integer = value;
}

void pj_set_real(pj_option *o, const char *name, float value) {
  set(o, name, PJ_REAL, 1);
  o->real = value;
}

void pj_set_flag(pj_option *o, const char *name, bool value) {
  set(o, name, PJ_FLAG, 1);
  o->flag = value;
}

pj_failure pj_open(const pj_api *api, const pj_option *options, size_t count, pj_session *s) {
  ARGS(pj_create_args, create, .options = options, .count = count);
  pj_failure f = call(api, PJ_CLIENT_CREATE, &create);
  if (f.message) return f;
  *s = (pj_session){.api = api, .client = create.client};
  ARGS(pj_devices_args, devices, .client = s->client);
  f = call(api, PJ_CLIENT_ADDRESSABLE_DEVICES, &devices);
  if (!f.message && devices.count == 0) f = fail("the client has no device");
  if (f.message) {
    free(pj_close(s).message);
    return f;
  }
  s->device = devices.devices[0];
  return none;
}

pj_failure pj_close(const pj_session *s) { return on_handle(s->api, PJ_CLIENT_DESTROY, s->client); }

pj_failure pj_describe(const pj_session *s, pj_text *platform, pj_text *version, pj_text *kind) {
  void *description;
  pj_failure f = text(s->api, PJ_CLIENT_PLATFORM_NAME, s->client, platform);
  if (!f.message) f = text(s->api, PJ_CLIENT_PLATFORM_VERSION, s->client, version);
  if (!f.message) f = part(s->api, PJ_DEVICE_GET_DESCRIPTION, s->device, &description);
  if (!f.message) f = text(s->api, PJ_DEVICE_DESCRIPTION_KIND, description, kind);
  return f;
}

pj_failure pj_compile(const pj_session *s, const void *code, size_t size, const void *options, size_t options_size, pj_loaded_executable **made) {
  static const char format[] = "hlo";
  ARGS(pj_program, program, .code = code, .code_size = size, .format = format, .format_size = sizeof format - 1);
  ARGS(pj_compile_args, args, .client = s->client, .program = &program, .options = options, .options_size = options_size);
  pj_failure f = call(s->api, PJ_CLIENT_COMPILE, &args);
  *made = args.executable;
  return f;
}

pj_failure pj_deserialize(const pj_session *s, const void *bytes, size_t size, pj_loaded_executable **made) {
  ARGS(pj_load_args, args, .client = s->client, .bytes = bytes, .size = size);
  pj_failure f = call(s->api, PJ_EXECUTABLE_DESERIALIZE_AND_LOAD, &args);
  *made = args.executable;
  return f;
}

// with_executable calls a function whose arguments hold the executable of a loaded one, at *place.
static pj_failure with_executable(const pj_session *s, pj_loaded_executable *e, int function, void *args, void **place) {
  pj_failure f = part(s->api, PJ_LOADED_EXECUTABLE_GET_EXECUTABLE, e, place);
  if (f.message) return f;
  f = call(s->api, function, args);
  free(on_handle(s->api, PJ_EXECUTABLE_DESTROY, *place).message);
  return f;
}

pj_failure pj_serialize(const pj_session *s, pj_loaded_executable *e, pj_serialize_args *made) {
  *made = (pj_serialize_args){.struct_size = sizeof *made};
  return with_executable(s, e, PJ_EXECUTABLE_SERIALIZE, made, (void **)&made->executable);
}

void pj_end_serialized(const pj_serialize_args *made) {
  if (made->owner) made->destroy(made->owner);
}

pj_failure pj_outputs(const pj_session *s, pj_loaded_executable *e, size_t *count) {
  ARGS(pj_outputs_args, args);
  pj_failure f = with_executable(s, e, PJ_EXECUTABLE_NUM_OUTPUTS, &args, (void **)&args.executable);
  *count = args.count;
  return f;
}

pj_failure pj_free_executable(const pj_session *s, pj_loaded_executable *e) { return on_handle(s->api, PJ_LOADED_EXECUTABLE_DESTROY, e); }

pj_failure pj_upload(const pj_session *s, const void *data, int type, const int64_t *dims, size_t rank, pj_buffer **made) {
  ARGS(pj_upload_args, args, .client = s->client, .data = data, .type = type, .dims = dims, .rank = rank, .device = s->device,
       .semantics = PJ_IMMUTABLE_ONLY_DURING_CALL);
  pj_failure f = call(s->api, PJ_CLIENT_BUFFER_FROM_HOST_BUFFER, &args);
  if (f.message) return f;
  f = wait(s->api, args.done);
  if (f.message) {
    free(pj_free_buffer(s, args.buffer).message);
    return f;
  }
  *made = args.buffer;
  return none;
}

// try calls a function that a plugin may lack or refuse. It reports whether that went well.
static bool try(const pj_api *api, int function, void *args) {
  pj_failure f = call(api, function, args);
  free(f.message);
  return !f.message;
}

// lies_row_major reports whether a buffer is size bytes in the memory of the host, as they are to be in the copy.
static bool lies_row_major(const pj_session *s, const pj_buffer *b, const int64_t *minor_to_major, size_t rank, size_t size) {
  ARGS(pj_on_cpu_args, where, .buffer = b);
  ARGS(pj_buffer_size_args, bytes, .buffer = b);
  ARGS(pj_buffer_layout_args, order, .buffer = b);
  if (!try(s->api, PJ_BUFFER_IS_ON_CPU, &where) || !where.on_cpu) return false;
  if (!try(s->api, PJ_BUFFER_ON_DEVICE_SIZE, &bytes) || bytes.size != size) return false;
  if (!try(s->api, PJ_BUFFER_GET_MEMORY_LAYOUT, &order) || order.layout.type != PJ_TILED) return false;
  const pj_tiled *t = &order.layout.tiled;
  if (t->tiles != 0 || t->rank != rank) return false;
  return rank == 0 || memcmp(t->minor_to_major, minor_to_major, rank * sizeof *minor_to_major) == 0;
}

// host_address waits for a buffer that the host can read where it lies and returns its address; NULL for one that it cannot. XLA itself
// goes by the same question when it lends a buffer to NumPy.
static pj_failure host_address(const pj_session *s, pj_buffer *b, const int64_t *minor_to_major, size_t rank, size_t size, void **address) {
  void *ready;
  *address = NULL;
  if (!has(s->api, PJ_BUFFER_UNSAFE_POINTER) || !lies_row_major(s, b, minor_to_major, rank, size)) return none;
  pj_failure f = part(s->api, PJ_BUFFER_READY_EVENT, b, &ready);
  if (!f.message) f = wait(s->api, ready);
  if (!f.message) f = part(s->api, PJ_BUFFER_UNSAFE_POINTER, b, address);
  return f;
}

pj_failure pj_download(const pj_session *s, pj_buffer *b, const int64_t *minor_to_major, size_t rank, void *data, size_t size) {
  void *address;
  pj_failure f = host_address(s, b, minor_to_major, rank, size, &address);
  if (f.message) return f;
  if (address) {
    memcpy(data, address, size);
    return none;
  }
  ARGS(pj_layout, layout, .type = PJ_TILED);
  layout.tiled.struct_size = sizeof layout.tiled;
  layout.tiled.minor_to_major = minor_to_major;
  layout.tiled.rank = rank;
  ARGS(pj_download_args, args, .buffer = b, .data = data, .size = size, .layout = rank > 0 ? &layout : NULL);
  f = call(s->api, PJ_BUFFER_TO_HOST_BUFFER, &args);
  return f.message ? f : wait(s->api, args.done);
}

pj_failure pj_free_buffer(const pj_session *s, pj_buffer *b) { return on_handle(s->api, PJ_BUFFER_DESTROY, b); }

pj_failure pj_execute(const pj_session *s, pj_loaded_executable *e, pj_buffer **in, size_t count, const int64_t *kept, size_t kept_count,
                      pj_buffer **out) {
  ARGS(pj_execute_options, options, .not_donated = kept, .not_donated_count = kept_count);
  pj_buffer *const *const ins[] = {in};
  pj_buffer **const outs[] = {out};
  ARGS(pj_execute_args, args, .executable = e, .options = &options, .in = ins, .devices = 1, .in_count = count, .out = outs);
  return call(s->api, PJ_LOADED_EXECUTABLE_EXECUTE, &args);
}

pj_failure pj_memory(const pj_session *s, int64_t *used, pj_figure *limit) {
  ARGS(pj_memory_args, args, .device = s->device);
  pj_failure f = call(s->api, PJ_DEVICE_MEMORY_STATS, &args);
  *used = args.used;
  *limit = args.limit;
  return f;
}
