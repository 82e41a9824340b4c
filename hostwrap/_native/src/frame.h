/* Reading XLA's call frames, and answering with an error. */
#ifndef HOSTWRAP_FRAME_H
#define HOSTWRAP_FRAME_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "xla/ffi/api/c_api.h"

#define HW_EXPORT __attribute__((visibility("default")))

/* Whether there is nothing to compute: XLA asks about the handler, or prepares something. */
bool hw_frame_is_idle(XLA_FFI_CallFrame *frame);

/* An attribute of the call by its name; false if there is none of this type. */
bool hw_frame_number(const XLA_FFI_CallFrame *frame, const char *name, int64_t *value);
bool hw_frame_text(const XLA_FFI_CallFrame *frame, const char *name, const char **text, size_t *size);

/* Operand k; results come after the arguments. */
const XLA_FFI_Buffer *hw_frame_buffer(const XLA_FFI_CallFrame *frame, int64_t k);

XLA_FFI_Error *hw_failure(const XLA_FFI_CallFrame *frame, XLA_FFI_Error_Code code, const char *format, ...);

#endif
