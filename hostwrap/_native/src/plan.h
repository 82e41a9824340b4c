/* How a program walks over its operands: strides that broadcast, with dimensions merged where all operands allow it. */
#ifndef HOSTWRAP_PLAN_H
#define HOSTWRAP_PLAN_H
#include <stdbool.h>
#include "registry.h"

#define HW_MAX_RANK 32

typedef struct {
  const hw_program *program;
  int rank; /* after merging; the last dimension is the loops' own */
  int64_t shape[HW_MAX_RANK];
  intptr_t strides[HW_MAX_RANK][HW_MAX_OPERANDS]; /* bytes; 0 where an operand broadcasts */
  char *data[HW_MAX_OPERANDS];
  int64_t total;    /* elements */
  int64_t capacity; /* elements of a block: its temporaries stay in the cache */
  bool gather;      /* rows are short: inputs are copied together, so that loops have something to do */
} hw_plan;

/* `dims[k]` are the dimensions of operand k, all of one rank. Returns the number of the first operand that does not
 * fit the results' shape, or -1. */
int hw_plan_make(hw_plan *plan, const hw_program *program, int rank, const int64_t *const *dims, void *const *data);

/* Where element `first` of each input lies, and how many elements go on from there in the same row. */
int64_t hw_plan_locate(const hw_plan *plan, int64_t first, char **at);

#endif
