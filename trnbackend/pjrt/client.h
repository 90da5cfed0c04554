// The calls that client.go makes. Each is one call of a function of the plugin, or a few that belong together.
#ifndef TRNSCI_PJRT_CLIENT_H
#define TRNSCI_PJRT_CLIENT_H

#include "api.h"

// A failure. message is NULL if there is none, else the receiver frees it.
typedef struct {
  char *message;
  int code;  // of the plugin, 0 if the failure is none of its own
} pj_failure;

// What a client is.
typedef struct {
  const pj_api *api;
  pj_client *client;
  pj_device *device;  // the first one
} pj_session;

// Text that the plugin owns.
typedef struct {
  const char *text;
  size_t size;
} pj_text;

// pj_load opens the shared library and gets its table. It is never closed: XLA leaves threads behind.
pj_failure pj_load(const char *path, const pj_api **api);

// pj_initialize does what has to be done once for a plugin.
pj_failure pj_initialize(const pj_api *api);

// pj_set_text and the others fill in an option, whose fields are zero. Texts have to live as long as it.
void pj_set_text(pj_option *o, const char *name, const char *value);
void pj_set_integer(pj_option *o, const char *name, int64_t value);
void pj_set_real(pj_option *o, const char *name, float value);
void pj_set_flag(pj_option *o, const char *name, bool value);

// pj_open makes a client on the first device.
pj_failure pj_open(const pj_api *api, const pj_option *options, size_t count, pj_session *s);
pj_failure pj_close(const pj_session *s);

// pj_describe returns the name and the version of the platform, and the kind of the device. They live as long as the client.
pj_failure pj_describe(const pj_session *s, pj_text *platform, pj_text *version, pj_text *kind);

// pj_compile compiles a program of the format "hlo"; pj_deserialize takes what pj_serialize gave.
pj_failure pj_compile(const pj_session *s, const void *code, size_t size, const void *options, size_t options_size, pj_loaded_executable **made);
pj_failure pj_deserialize(const pj_session *s, const void *bytes, size_t size, pj_loaded_executable **made);
pj_failure pj_serialize(const pj_session *s, pj_loaded_executable *e, pj_serialize_args *made);
pj_failure pj_outputs(const pj_session *s, pj_loaded_executable *e, size_t *count);
pj_failure pj_free_executable(const pj_session *s, pj_loaded_executable *e);

// pj_upload copies an array; data may be changed when it returns. pj_download waits for a buffer and copies it, row-major; where the host can read
// it, by itself, since plugins take another thread for that. The buffer must not be donated meanwhile.
pj_failure pj_upload(const pj_session *s, const void *data, int type, const int64_t *dims, size_t rank, pj_buffer **made);
pj_failure pj_download(const pj_session *s, pj_buffer *b, const int64_t *minor_to_major, size_t rank, void *data, size_t size);
pj_failure pj_free_buffer(const pj_session *s, pj_buffer *b);

// pj_execute queues a run. The inputs whose indices are in kept are not donated.
pj_failure pj_execute(const pj_session *s, pj_loaded_executable *e, pj_buffer **in, size_t count, const int64_t *kept, size_t kept_count,
                      pj_buffer **out);

// pj_memory returns what the plugin says of the device's memory.
pj_failure pj_memory(const pj_session *s, int64_t *used, pj_figure *limit);

// pj_end_serialized frees the bytes of pj_serialize.
void pj_end_serialized(const pj_serialize_args *made);

#endif
