// A plugin that has what a test asks for by a macro: a version, an error, no device, an error that says what options it was given. It computes
// nothing.
#include "../api.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MINOR
#define MINOR 104
#endif

enum { FUNCTIONS = 71, UNAVAILABLE = 14 };

struct pj_error {
  const char *text;
};

static pj_error refused = {"the fake refuses"};

static void destroy_error(void *args) { (void)args; }

static void error_message(void *args) {
  pj_text_args *a = args;
  a->text = ((const pj_error *)a->handle)->text;
  a->size = strlen(a->text);
}

static pj_error *error_code(void *args) {
  ((pj_code_args *)args)->code = UNAVAILABLE;
  return NULL;
}

static pj_error *succeed(void *args) {
  (void)args;
  return NULL;
}

static pj_error *refuse(void *args) {
  (void)args;
  return &refused;
}

// echo refuses with the options as text: "name=value " for each.
static pj_error *echo(void *args) {
  static char text[1000];
  const pj_create_args *a = args;
  char *end = text;
  for (size_t i = 0; i < a->count; i++) {
    const pj_option *o = &a->options[i];
    end += sprintf(end, "%.*s=", (int)o->name_size, o->name);
    if (o->type == PJ_TEXT) end += sprintf(end, "%.*s ", (int)o->size, o->text);
    if (o->type == PJ_INTEGER) end += sprintf(end, "%lld ", (long long)o->integer);
    if (o->type == PJ_REAL) end += sprintf(end, "%g ", o->real);
    if (o->type == PJ_FLAG) end += sprintf(end, "%s ", o->flag ? "true" : "false");
  }
  refused.text = text;
  return &refused;
}

static pj_error *no_devices(void *args) {
  ((pj_devices_args *)args)->count = 0;
  return NULL;
}

const pj_api *GetPjrtApi(void) {
#ifdef NO_TABLE
  return NULL;
#endif
  pj_api *api = calloc(1, sizeof *api + FUNCTIONS * sizeof(pj_function));
  api->struct_size = sizeof *api + FUNCTIONS * sizeof(pj_function);
  api->version.minor = MINOR;
#ifdef MAJOR
  api->version.major = MAJOR;
#endif
  for (int i = 0; i < FUNCTIONS; i++) api->functions[i] = succeed;
  api->functions[PJ_ERROR_DESTROY] = (pj_function)(void (*)(void))destroy_error;
  api->functions[PJ_ERROR_MESSAGE] = (pj_function)(void (*)(void))error_message;
  api->functions[PJ_ERROR_GET_CODE] = error_code;
  api->functions[PJ_CLIENT_ADDRESSABLE_DEVICES] = no_devices;
#ifdef SHORT_TABLE
  api->struct_size -= sizeof(pj_function);
#endif
#ifdef REFUSES_TO_START
  api->functions[PJ_PLUGIN_INITIALIZE] = refuse;
#endif
#ifdef REFUSES_CLIENTS
  api->functions[PJ_CLIENT_CREATE] = refuse;
#endif
#ifdef ECHOES_OPTIONS
  api->functions[PJ_CLIENT_CREATE] = echo;
#endif
  (void)refuse;
  (void)echo;
  return api;
}
