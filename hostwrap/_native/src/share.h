/* Sharing a plan's elements between the caller and threads of XLA's pool. */
#ifndef HOSTWRAP_SHARE_H
#define HOSTWRAP_SHARE_H

#include "block.h"
#include "xla/ffi/api/c_api.h"

/* On at most `threads` threads, each with at least `grain` elements. Returns when all elements are done;
 * false if there was no memory. */
bool hw_share(const XLA_FFI_CallFrame *frame, const hw_plan *plan, int64_t threads, int64_t grain);

#endif
