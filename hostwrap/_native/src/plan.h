/* How a loop walks over its operands: strides that broadcast, with dimensions merged where all operands allow it. */
#ifndef HOSTWRAP_PLAN_H
#define HOSTWRAP_PLAN_H

#include "registry.h"

#define HW_MAX_RANK 32

typedef struct {
  const hw_loop *loop;
  int rank; /* after merging; the last dimension is the loop's own */
  int64_t shape[HW_MAX_RANK];
  intptr_t strides[HW_MAX_RANK][HW_MAX_OPERANDS]; /* bytes; 0 where an operand broadcasts */
  char *data[HW_MAX_OPERANDS];
  int64_t total; /* elements */
} hw_plan;

/* `dims[k]` are the dimensions of operand k, all of one rank. Returns the number of the first operand that does not
 * fit the results' shape, or -1. */
int hw_plan_make(hw_plan *plan, const hw_loop *loop, int rank, const int64_t *const *dims, void *const *data);

/* The elements first, first + 1, ..., last - 1 in row-major order. */
void hw_plan_run(const hw_plan *plan, int64_t first, int64_t last);

#endif
