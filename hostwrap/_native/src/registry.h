/* The loops that programs may call, by key.
 *
 * A compiled program carries a key, never an address: a program from another process, or a forged one, can only
 * name a loop that this process has registered itself.
 */
#ifndef HOSTWRAP_REGISTRY_H
#define HOSTWRAP_REGISTRY_H

#include <stddef.h>
#include <stdint.h>

#define HW_MAX_OPERANDS 32

/* NumPy's PyUFuncGenericFunction. It may advance the pointers it is given. */
typedef void (*hw_function)(char **args, const intptr_t *count, const intptr_t *steps, void *data);

/* Filled in by Python (`_loops.py` has the same layout); entries live as long as the process. */
typedef struct {
  uint64_t key;
  int32_t inputs, outputs;
  hw_function function;
  void *data;
  int32_t dtype[HW_MAX_OPERANDS]; /* XLA_FFI_DataType of each operand, results last */
  int32_t itemsize[HW_MAX_OPERANDS];
  int32_t may_raise; /* it may leave a Python exception behind, in whichever thread it runs */
} hw_loop;

__attribute__((visibility("default"))) size_t hw_loop_size(void);
__attribute__((visibility("default"))) int hw_register(const hw_loop *loop); /* 0, or -1: no room */
const hw_loop *hw_find(uint64_t key); /* NULL if there is none */

#endif
