/* Running a program, a block of elements at a time. */
#ifndef HOSTWRAP_BLOCK_H
#define HOSTWRAP_BLOCK_H
#include "plan.h"

/* The elements first, first + 1, ..., last - 1 in row-major order; false if there is no memory for temporaries. */
bool hw_run(const hw_plan *plan, int64_t first, int64_t last);

#endif
