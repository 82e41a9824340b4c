/* The handler `hostwrap_host`: XLA calls it with buffers, it calls a Python function that is known by its key. */
#include "host.h"
#include "python.h"

#include <stdlib.h>

enum { ON_STACK = 512 }; /* words; what needs more than this is not small either */

/* How many words `describe` writes. */
static size_t words(const XLA_FFI_CallFrame *frame, size_t buffers) {
  size_t size = 2 + 3 * buffers;
  for (size_t k = 0; k < buffers; k++) size += (size_t)hw_frame_buffer(frame, (int64_t)k)->rank;
  return size;
}

/* What Python is told of the buffers: how many, the type, the rank and the dimensions of each; and where they are. */
static void describe(const XLA_FFI_CallFrame *frame, int64_t *numbers, void **data, hw_host_call *call) {
  int64_t *next = numbers;
  *next++ = frame->args.size;
  *next++ = frame->rets.size;
  for (size_t k = 0; k < call->buffers; k++) {
    const XLA_FFI_Buffer *buffer = hw_frame_buffer(frame, (int64_t)k);
    *next++ = buffer->dtype;
    *next++ = buffer->rank;
    for (int64_t d = 0; d < buffer->rank; d++) *next++ = buffer->dims[d];
    data[k] = buffer->data;
  }
  call->numbers = numbers;
  call->count = (size_t)(next - numbers);
  call->data = data;
}

XLA_FFI_Error *hw_host(const XLA_FFI_CallFrame *frame, const char *key, size_t key_size) {
  char message[8000] = "";
  hw_host_call call = {.key = key, .key_size = key_size, .message = message, .message_size = sizeof message};
  call.buffers = (size_t)(frame->args.size + frame->rets.size);
  size_t needed = words(frame, call.buffers);
  int64_t local[ON_STACK], *memory = needed <= ON_STACK ? local : malloc(needed * sizeof *memory);
  if (!memory) return hw_failure(frame, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "no memory for a call of %zu buffers", call.buffers);
  describe(frame, memory + call.buffers, (void **)memory, &call);
  bool done = hw_python_call(&call);
  if (memory != local) free(memory);
  return done ? NULL : hw_failure(frame, XLA_FFI_Error_Code_INTERNAL, "%s", message);
}

HW_EXPORT XLA_FFI_Error *hostwrap_host(XLA_FFI_CallFrame *frame) {
  if (hw_frame_is_idle(frame)) return NULL;
  const char *key;
  size_t size;
  if (!hw_frame_text(frame, "key", &key, &size))
    return hw_failure(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, "the program gives no key");
  return hw_host(frame, key, size);
}
