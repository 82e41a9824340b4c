/* A block goes through all steps before the next one is begun, so that what lies between steps never leaves the cache. */
#include "block.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "steps.h"

enum { ON_STACK = 8192, KEPT = 1 << 20 };

/* A thread keeps its memory for the next call: to free so much makes malloc tidy up all that others have freed. */
typedef struct {
  size_t size;
  _Alignas(16) char bytes[];
} hw_memory;

static pthread_key_t kept;
static bool keeps;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_key(void) { keeps = pthread_key_create(&kept, free) == 0; }

/* What the thread has kept is its own no more: a loop that calls Python may come back here. */
static hw_memory *take(size_t size) {
  pthread_once(&once, make_key);
  hw_memory *memory = keeps ? pthread_getspecific(kept) : NULL;
  if (memory) pthread_setspecific(kept, NULL);
  if (memory && memory->size >= size) return memory;
  free(memory);
  memory = malloc(sizeof *memory + size);
  if (memory) memory->size = size;
  return memory;
}

static void give_back(hw_memory *memory) {
  bool keep = keeps && memory->size <= KEPT && !pthread_getspecific(kept) && pthread_setspecific(kept, memory) == 0;
  if (!keep) free(memory);
}

/* The inputs of one block side by side, where rows are too short to be worth a call of a loop. */
static void gather(const hw_plan *plan, int64_t first, int64_t count, char *const *into) {
  const hw_program *p = plan->program;
  const intptr_t *strides = plan->strides[plan->rank - 1];
  char *at[HW_MAX_OPERANDS];
  for (int64_t done = 0; done < count;) {
    int64_t left = hw_plan_locate(plan, first + done, at);
    if (left > count - done) left = count - done;
    for (int k = 0; k < p->inputs; k++) {
      size_t size = (size_t)p->slot[k].size;
      char *to = into[k] + done * (int64_t)size;
      for (int64_t i = 0; i < left; i++) memcpy(to + i * (int64_t)size, at[k] + i * strides[k], size);
    }
    done += left;
  }
}

/* Elements that a temporary has place for. */
static int64_t room(const hw_plan *plan) { return plan->capacity + HW_GAP; }

/* The constants that steps read; rows of others are read where they stand. */
static void place(const hw_slots *slots) {
  const hw_program *p = slots->program;
  hw_slot *constants = slots->in + p->inputs + p->outputs;
  for (int i = 0; i < p->read; i++) constants[i] = (hw_slot){(char *)p->constant + 16 * i, 0};
}

/* Points the inputs and outputs to element `first`; returns how many elements there are from there, at most `most`. */
static int64_t aim(const hw_plan *plan, hw_slots *slots, int64_t first, int64_t most) {
  const hw_program *p = plan->program;
  char *at[HW_MAX_OPERANDS];
  if (plan->gather) {
    char *into = slots->scratch + slots->room * p->temporary;
    for (int k = 0; k < p->inputs; into += slots->room * p->slot[k++].size) {
      slots->in[k] = (hw_slot){into, p->slot[k].size};
      at[k] = into;
    }
    gather(plan, first, most, at);
  } else {
    int64_t left = hw_plan_locate(plan, first, at);
    for (int k = 0; k < p->inputs; k++)
      slots->in[k] = (hw_slot){at[k], plan->rank ? plan->strides[plan->rank - 1][k] : 0};
    if (left < most) most = left;
  }
  for (int k = p->inputs; k < p->inputs + p->outputs; k++)
    slots->in[k] = (hw_slot){plan->data[k] + first * p->slot[k].size, p->slot[k].size};
  return most;
}

bool hw_run(const hw_plan *plan, int64_t first, int64_t last) {
  const hw_program *p = plan->program;
  _Alignas(16) char local[ON_STACK];
  size_t pointers = (size_t)p->slots * sizeof(hw_slot), bytes = pointers + (size_t)(room(plan) * p->temporary);
  for (int k = 0; plan->gather && k < p->inputs; k++) bytes += (size_t)(room(plan) * p->slot[k].size);
  hw_memory *memory = bytes <= ON_STACK ? NULL : take(bytes);
  if (!memory && bytes > ON_STACK) return false;
  char *start = memory ? memory->bytes : local;
  hw_slots slots = {p, (hw_slot *)start, start + pointers, room(plan)};
  place(&slots);
  while (first < last) {
    int64_t most = plan->capacity < last - first ? plan->capacity : last - first;
    int64_t count = aim(plan, &slots, first, most);
    hw_steps(&slots, (intptr_t)count);
    first += count;
  }
  if (memory) give_back(memory);
  return true;
}
