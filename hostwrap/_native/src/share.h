/* Sharing a plan's elements between the caller and threads of XLA's pool. */
#ifndef HOSTWRAP_SHARE_H
#define HOSTWRAP_SHARE_H

#include "block.h"
#include "xla/ffi/api/c_api.h"

/* On at most `threads` threads, 0: as many as were set, each with at least as many elements as are worth one. Returns
 * when all elements are done; false if there was no memory. */
bool hw_share(const XLA_FFI_CallFrame *frame, const hw_plan *plan, int64_t threads);

/* By this thread alone, in a floating-point environment of its own. False: no memory. */
bool hw_alone(const hw_plan *plan);

/* For programs that do not say how many: so they are the same in every process. */
__attribute__((visibility("default"))) void hw_set_threads(int64_t threads);

#endif
