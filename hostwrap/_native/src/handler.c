/* The handler `hostwrap_loops`: XLA calls it with buffers, it runs a program of C loops on them. Python sees only the
 * elements that the program hands back. */
#include "host.h"
#include "plan.h"
#include "python.h"
#include "share.h"

/* Elementwise operands may have one more axis, of size 1: XLA's partitioner wants one behind those it splits. */
static bool fits(const XLA_FFI_Buffer *buffer, int32_t dtype, int64_t rank) {
  if ((int32_t)buffer->dtype != dtype || rank > HW_MAX_RANK) return false;
  return buffer->rank == rank || (buffer->rank == rank + 1 && buffer->dims[rank] == 1);
}

static XLA_FFI_Error *run(const XLA_FFI_CallFrame *frame, const hw_program *program, int64_t threads) {
  if (frame->args.size != program->inputs || frame->rets.size != program->outputs)
    return hw_failure(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, "%d operands and %d results, the program has %d and %d",
                      (int)frame->args.size, (int)frame->rets.size, program->inputs, program->outputs);
  const int64_t *dims[HW_MAX_OPERANDS];
  void *data[HW_MAX_OPERANDS];
  int64_t rank = hw_frame_buffer(frame, program->inputs)->rank;
  for (int k = 0; k < program->inputs + program->outputs; k++) {
    const XLA_FFI_Buffer *buffer = hw_frame_buffer(frame, k);
    if (!fits(buffer, program->dtype[k], rank))
      return hw_failure(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, "operand %d has type %d and rank %d, not %d and %d",
                        k, (int)buffer->dtype, (int)buffer->rank, program->dtype[k], (int)rank);
    dims[k] = buffer->dims;
    data[k] = buffer->data;
  }
  hw_plan plan;
  int wrong = hw_plan_make(&plan, program, (int)rank, dims, data);
  if (wrong >= 0)
    return hw_failure(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, "operand %d does not fit the result's shape", wrong);
  if (plan.total && !hw_share(frame, &plan, threads))
    return hw_failure(frame, XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, "no memory for the temporaries of a block");
  char message[200];
  if (hw_python_error(message, sizeof message))
    return hw_failure(frame, XLA_FFI_Error_Code_INTERNAL, "the loop raised: %s", message);
  return NULL;
}

/* Whether the last result, a truth, holds anywhere. */
static bool any_left(const XLA_FFI_CallFrame *frame) {
  const XLA_FFI_Buffer *last = frame->rets.rets[frame->rets.size - 1];
  const uint8_t *truth = last->data;
  int64_t count = last->dtype == XLA_FFI_DataType_PRED;
  for (int64_t d = 0; d < last->rank; d++) count *= last->dims[d];
  for (int64_t i = 0; i < count; i++)
    if (truth[i]) return true;
  return false;
}

HW_EXPORT XLA_FFI_Error *hostwrap_loops(XLA_FFI_CallFrame *frame) {
  if (hw_frame_is_idle(frame)) return NULL;
  int64_t key, threads;
  if (!hw_frame_number(frame, "key", &key) || !hw_frame_number(frame, "threads", &threads))
    return hw_failure(frame, XLA_FFI_Error_Code_INVALID_ARGUMENT, "the program gives no key and threads");
  const hw_program *program = hw_find((uint64_t)key);
  char message[4000] = "it has no text";
  hw_learn_call learn = {.key = (uint64_t)key, .message = message, .message_size = sizeof message};
  if (!program && hw_frame_text(frame, "program", &learn.text, &learn.text_size) && hw_python_learn(&learn))
    program = hw_find((uint64_t)key);
  if (!program)
    return hw_failure(frame, XLA_FFI_Error_Code_FAILED_PRECONDITION, "this process does not know program %016llx: %s",
                      (unsigned long long)key, message);
  XLA_FFI_Error *error = run(frame, program, threads);
  const char *rest;
  size_t size;
  if (error || !hw_frame_text(frame, "rest", &rest, &size) || !any_left(frame)) return error;
  return hw_host(frame, rest, size);
}
