/* The handler `hostwrap_host`: XLA calls it with buffers, it calls a Python function that is known by its key. */
#include "frame.h"
#include "python.h"

enum { MAX_BUFFERS = 512, MAX_NUMBERS = 4096 };

/* What Python is told of the buffers: how many, and the type, the rank and the dimensions of each. */
static size_t describe(const XLA_FFI_CallFrame *frame, int64_t *numbers, void **data) {
  size_t size = 0;
  numbers[size++] = frame->args.size;
  numbers[size++] = frame->rets.size;
  for (int64_t k = 0; k < frame->args.size + frame->rets.size; k++) {
    const XLA_FFI_Buffer *buffer = hw_frame_buffer(frame, k);
    if (size + 2 + (size_t)buffer->rank > MAX_NUMBERS) return 0;
    numbers[size++] = buffer->dtype;
    numbers[size++] = buffer->rank;
    for (int64_t d = 0; d < buffer->rank; d++) numbers[size++] = buffer->dims[d];
    data[k] = buffer->data;
  }
  return size;
}

HW_EXPORT XLA_FFI_Error *hostwrap_host(XLA_FFI_CallFrame *frame) {
  if (hw_frame_is_idle(frame)) return NULL;
  hw_host_call call = {0};
  int64_t numbers[MAX_NUMBERS];
  void *data[MAX_BUFFERS];
  char message[8000] = "";
  if (!hw_frame_text(frame, "key", &call.key, &call.key_size))
    return hw_failure(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, "the program gives no key");
  call.buffers = (size_t)(frame->args.size + frame->rets.size);
  if (call.buffers <= MAX_BUFFERS) call.count = describe(frame, numbers, data);
  if (!call.count) return hw_failure(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, "too many buffers for one call");
  call.numbers = numbers;
  call.data = data;
  call.message = message;
  call.message_size = sizeof message;
  if (!hw_python_call(&call)) return hw_failure(frame, XLA_FFI_Error_Code_INTERNAL, "%s", message);
  return NULL;
}
