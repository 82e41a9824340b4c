/* Loops of our own, for what NumPy does without a ufunc: choosing, converting, taking complex numbers apart. */
#ifndef HOSTWRAP_LOOPS_H
#define HOSTWRAP_LOOPS_H
#include "registry.h"

/* The loop of this name, such as "select d", "real D" or "cast fd" (NumPy's characters for types), or NULL. */
__attribute__((visibility("default"))) hw_function hw_loop(const char *name);

#endif
