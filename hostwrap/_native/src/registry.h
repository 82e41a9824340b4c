/* The programs that XLA may run, by key.
 *
 * A program is a list of steps; a step is a C loop of a NumPy ufunc, or one of our own (loops.c), on some slots, or has
 * a body of steps, which is run for some of the elements (steps.c). Slots are the inputs, the outputs, the constants and
 * the temporaries, in this order; one ufunc is a program with one step.
 * What XLA has compiled carries a key, never an address: a program from another process, or a forged one, can only
 * name what this process has registered itself.
 */
#ifndef HOSTWRAP_REGISTRY_H
#define HOSTWRAP_REGISTRY_H
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define HW_MAX_OPERANDS 64 /* inputs and outputs of a program, and operands of a step */

/* NumPy's PyUFuncGenericFunction. It may advance the pointers it is given. */
typedef void (*hw_function)(char **args, const intptr_t *count, const intptr_t *steps, void *data);

typedef struct {
  hw_function function; /* NULL: a branch or a repetition (steps.c) */
  void *data;
  int32_t inputs, operands; /* of the step; results last. Of a body: slots that it gets, all slots */
  int32_t first;            /* its operands are uses[first], uses[first + 1], ... */
  int32_t body;             /* the steps behind it that are its body */
  int32_t bound;            /* turns of a repetition at most; 0: a branch */
  int32_t rows;             /* slots that have another constant in each turn */
  int32_t sums;             /* whether its turns need nothing of each other but the totals, to which the last steps add */
  int32_t place;            /* where a body keeps account of elements, 16 bytes for each */
  int32_t own;              /* whether a loop writes to temporaries alone, which may be one number for the whole block */
  int32_t single;           /* what it does with one element, see single.h; 0: only the loop knows */
} hw_step;

/* The same step for one element (single.h), side by side. */
typedef struct {
  int16_t which; /* 0: see the step */
  int16_t next;  /* the same for a step that follows the one before: that one's result is still at hand, see steps.c */
  uint32_t from[3], to; /* bytes that lie before the slot; the last operand again, where there are fewer */
  int32_t place; /* of what it writes to, as in hw_slot_kind */
  int32_t own;   /* as that of the step */
} hw_single_one;

typedef struct {
  int32_t size;  /* of an element in bytes */
  int32_t place; /* of a temporary: bytes per element that lie before it, complemented if a repetition moves it; else -1 */
} hw_slot_kind;

/* Filled in by Python (`library.py` has the same layout); entries live as long as the process. */
typedef struct {
  uint64_t key;
  int32_t inputs, outputs, constants, slots, steps, uses;
  int32_t temporary; /* bytes that one element needs in all temporaries together */
  int32_t bodies;    /* whether some steps are not for all elements */
  int32_t read;      /* the first so many constants are operands of steps */
  int32_t may_raise; /* a loop of it may leave a Python exception behind, in whichever thread it runs */
  const int32_t *dtype; /* of inputs and outputs: XLA_FFI_DataType */
  const hw_slot_kind *slot;
  const hw_step *step;
  const int32_t *use;
  const char *constant; /* 16 bytes for each */
  const hw_single_one *one; /* of each step; made here */
  _Atomic(int64_t) grain; /* elements that are worth a thread: measured here, so no part of what is compiled; 0: unknown */
} hw_program;

__attribute__((visibility("default"))) size_t hw_program_size(void); /* of one with one step */
__attribute__((visibility("default"))) int hw_register(const hw_program *program); /* 0, or -1: no room */
__attribute__((visibility("default"))) void hw_set_grain(uint64_t key, int64_t grain);
const hw_program *hw_find(uint64_t key); /* NULL if there is none */

#endif
