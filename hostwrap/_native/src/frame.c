#include "frame.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* XLA accepts every version from 0.1 to its own, and older ones want 0.1 exactly; all that is used here has had one
 * layout since. A version that XLA refuses would take the whole CPU backend down with it. */
enum { REPORTED_MAJOR = 0, REPORTED_MINOR = 1 };

bool hw_frame_is_idle(XLA_FFI_CallFrame *frame) {
  if (frame->extension_start && frame->extension_start->type == XLA_FFI_Extension_Metadata) {
    XLA_FFI_Metadata *metadata = ((XLA_FFI_Metadata_Extension *)frame->extension_start)->metadata;
    metadata->api_version.major_version = REPORTED_MAJOR;
    metadata->api_version.minor_version = REPORTED_MINOR;
    metadata->traits = 0;
    return true;
  }
  return frame->stage != XLA_FFI_ExecutionStage_EXECUTE;
}

static const void *attribute(const XLA_FFI_Attrs *attributes, const char *name, XLA_FFI_AttrType type) {
  for (int64_t i = 0; i < attributes->size; i++) {
    const XLA_FFI_ByteSpan *given = attributes->names[i];
    if (given->len == strlen(name) && !memcmp(given->ptr, name, given->len))
      return attributes->types[i] == type ? attributes->attrs[i] : NULL;
  }
  return NULL;
}

bool hw_frame_number(const XLA_FFI_CallFrame *frame, const char *name, int64_t *value) {
  const XLA_FFI_Scalar *scalar = attribute(&frame->attrs, name, XLA_FFI_AttrType_SCALAR);
  if (!scalar || scalar->dtype != XLA_FFI_DataType_S64) return false;
  memcpy(value, scalar->value, sizeof *value);
  return true;
}

bool hw_frame_text(const XLA_FFI_CallFrame *frame, const char *name, const char **text, size_t *size) {
  const XLA_FFI_ByteSpan *span = attribute(&frame->attrs, name, XLA_FFI_AttrType_STRING);
  if (!span) return false;
  *text = span->ptr;
  *size = span->len;
  return true;
}

const XLA_FFI_Buffer *hw_frame_buffer(const XLA_FFI_CallFrame *frame, int64_t k) {
  return k < frame->args.size ? frame->args.args[k] : frame->rets.rets[k - frame->args.size];
}

XLA_FFI_Error *hw_failure(const XLA_FFI_CallFrame *frame, XLA_FFI_Error_Code code, const char *format, ...) {
  char message[8192] = "hostwrap: ";
  va_list values;
  va_start(values, format);
  vsnprintf(message + strlen(message), sizeof message - strlen(message), format, values);
  va_end(values);
  XLA_FFI_Error_Create_Args args;
  memset(&args, 0, sizeof args);
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = message;
  args.errc = code;
  return frame->api->XLA_FFI_Error_Create(&args);
}
