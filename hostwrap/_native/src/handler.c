/* The handler `hostwrap_loops`: XLA calls it with buffers, it runs a program of C loops on them. No Python. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "plan.h"
#include "python.h"
#include "share.h"

#define EXPORT __attribute__((visibility("default")))

/* XLA accepts every version from 0.1 to its own, and older ones want 0.1 exactly; all that is used here has had one
 * layout since. A version that XLA refuses would take the whole CPU backend down with it. */
enum { REPORTED_MAJOR = 0, REPORTED_MINOR = 1 };

static XLA_FFI_Error *failure(const XLA_FFI_Api *api, XLA_FFI_Error_Code code, const char *format, ...) {
  char message[256] = "hostwrap: ";
  va_list values;
  va_start(values, format);
  vsnprintf(message + strlen(message), sizeof message - strlen(message), format, values);
  va_end(values);
  XLA_FFI_Error_Create_Args args;
  memset(&args, 0, sizeof args);
  args.struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE;
  args.message = message;
  args.errc = code;
  return api->XLA_FFI_Error_Create(&args);
}

static bool attribute(const XLA_FFI_Attrs *attributes, const char *name, int64_t *value) {
  for (int64_t i = 0; i < attributes->size; i++) {
    const XLA_FFI_ByteSpan *given = attributes->names[i];
    if (given->len != strlen(name) || memcmp(given->ptr, name, given->len)) continue;
    if (attributes->types[i] != XLA_FFI_AttrType_SCALAR) return false;
    const XLA_FFI_Scalar *scalar = attributes->attrs[i];
    if (scalar->dtype != XLA_FFI_DataType_S64) return false;
    memcpy(value, scalar->value, sizeof *value);
    return true;
  }
  return false;
}

static XLA_FFI_Error *run(const XLA_FFI_CallFrame *frame, const hw_program *program, int64_t threads, int64_t grain) {
  const XLA_FFI_Api *api = frame->api;
  if (frame->args.size != program->inputs || frame->rets.size != program->outputs)
    return failure(api, XLA_FFI_Error_Code_INVALID_ARGUMENT, "%d operands and %d results, the program has %d and %d",
                   (int)frame->args.size, (int)frame->rets.size, program->inputs, program->outputs);
  const int64_t *dims[HW_MAX_OPERANDS];
  void *data[HW_MAX_OPERANDS];
  int64_t rank = ((const XLA_FFI_Buffer *)frame->rets.rets[0])->rank;
  for (int k = 0; k < program->inputs + program->outputs; k++) {
    const XLA_FFI_Buffer *buffer = k < program->inputs ? frame->args.args[k] : frame->rets.rets[k - program->inputs];
    if ((int32_t)buffer->dtype != program->dtype[k] || buffer->rank != rank || rank > HW_MAX_RANK)
      return failure(api, XLA_FFI_Error_Code_INVALID_ARGUMENT, "operand %d has type %d and rank %d, not %d and %d", k,
                     (int)buffer->dtype, (int)buffer->rank, program->dtype[k], (int)rank);
    dims[k] = buffer->dims;
    data[k] = buffer->data;
  }
  hw_plan plan;
  int wrong = hw_plan_make(&plan, program, (int)rank, dims, data);
  if (wrong >= 0)
    return failure(api, XLA_FFI_Error_Code_INVALID_ARGUMENT, "operand %d does not fit the result's shape", wrong);
  if (plan.total && !hw_share(frame, &plan, threads, grain > 0 ? grain : 1))
    return failure(api, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "no memory for the temporaries of a block");
  char message[200];
  if (hw_python_error(message, sizeof message))
    return failure(api, XLA_FFI_Error_Code_INTERNAL, "the loop raised: %s", message);
  return NULL;
}

static XLA_FFI_Error *describe(XLA_FFI_Metadata_Extension *extension) {
  extension->metadata->api_version.major_version = REPORTED_MAJOR;
  extension->metadata->api_version.minor_version = REPORTED_MINOR;
  extension->metadata->traits = 0;
  return NULL;
}

EXPORT XLA_FFI_Error *hostwrap_loops(XLA_FFI_CallFrame *frame) {
  if (frame->extension_start && frame->extension_start->type == XLA_FFI_Extension_Metadata)
    return describe((XLA_FFI_Metadata_Extension *)frame->extension_start);
  if (frame->stage != XLA_FFI_ExecutionStage_EXECUTE) return NULL;
  int64_t key, threads, grain;
  if (!attribute(&frame->attrs, "key", &key) || !attribute(&frame->attrs, "threads", &threads) ||
      !attribute(&frame->attrs, "grain", &grain))
    return failure(frame->api, XLA_FFI_Error_Code_INVALID_ARGUMENT, "the program gives no key, threads and grain");
  const hw_program *program = hw_find((uint64_t)key);
  if (!program)
    return failure(frame->api, XLA_FFI_Error_Code_FAILED_PRECONDITION,
                   "this process does not know program %016llx; call the function once before a stored program",
                   (unsigned long long)key);
  return run(frame, program, threads, grain);
}
