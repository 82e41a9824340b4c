/* Calls of Python functions by their keys. */
#ifndef HOSTWRAP_HOST_H
#define HOSTWRAP_HOST_H
#include "frame.h"

/* Calls the function with all buffers of the frame. NULL if all is well. */
XLA_FFI_Error *hw_host(const XLA_FFI_CallFrame *frame, const char *key, size_t key_size);

#endif
