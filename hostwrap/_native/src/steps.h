/* Running the steps of a program on one block of elements. */
#ifndef HOSTWRAP_STEPS_H
#define HOSTWRAP_STEPS_H
#include <stdbool.h>
#include "registry.h"

/* Between temporaries: NumPy before 2.1 takes arrays that touch for overlapping ones, and another loop, of other bits. */
enum { HW_GAP = 16 };

typedef struct {
  char *at;
  intptr_t stride; /* 0: one number for the whole block */
} hw_slot;

/* Where each slot of a program lies; of a temporary this is not known before it is written. A body's slots move: to the
 * slots outside of it, or to each other's places. */
typedef struct {
  const hw_program *program;
  hw_slot *in;
  char *scratch;    /* the places of temporaries: `room` elements for each */
  int64_t room;
} hw_slots;

/* All steps, on `count` elements. */
void hw_steps(hw_slots *slots, intptr_t count);

#endif
