#include "registry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "single.h"

#define SLOTS (1u << 14) /* a power of two; open addressing, at most half full */

static _Atomic(hw_program *) slots[SLOTS];
static unsigned used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

size_t hw_program_size(void) { return sizeof(hw_program) + sizeof(hw_step); }

static uint32_t first_slot(uint64_t key) { return (uint32_t)(key ^ (key >> 32)) & (SLOTS - 1); }

static hw_program *find(uint64_t key) {
  for (uint32_t i = 0, h = first_slot(key); i < SLOTS; i++, h = (h + 1) & (SLOTS - 1)) {
    hw_program *program = atomic_load_explicit(&slots[h], memory_order_acquire);
    if (!program || program->key == key) return program;
  }
  return NULL;
}

const hw_program *hw_find(uint64_t key) { return find(key); }

void hw_set_grain(uint64_t key, int64_t grain) {
  hw_program *program = find(key);
  if (program) atomic_store_explicit(&program->grain, grain, memory_order_relaxed);
}

static void *piece(char **free, const void *from, size_t size) {
  void *to = *free;
  memcpy(to, from, size);
  *free += (size + 15) / 16 * 16;
  return to;
}

/* Which operand is the result of the step before, counted from 1; 0: none that is at hand. */
static int32_t at_hand(const hw_program *p, const hw_single_one *step, int32_t inputs) {
  const hw_single_one *before = step - 1;
  if (step == p->one || !before->which || p->slot[before->to / sizeof(hw_slot)].size > (int32_t)sizeof(double)) return 0;
  for (int32_t k = 0; k < inputs; k++)
    if (step->from[k] == before->to) return k + 1;
  return 0;
}

/* What steps do with one element. */
static void write_singles(hw_single_one *one, const hw_program *p) {
  for (int32_t i = 0; i < p->steps; i++) {
    const hw_step *s = p->step + i;
    const int32_t *use = p->use + s->first;
    bool known = s->function && s->single > HW_NOT_SINGLE && s->single < HW_SINGLES_END;
    one[i] = (hw_single_one){.which = HW_NOT_SINGLE, .next = HW_NOT_SINGLE};
    if (!known) continue;
    for (int32_t k = 0; k < 3; k++) one[i].from[k] = (uint32_t)sizeof(hw_slot) * (uint32_t)use[k < s->inputs ? k : s->inputs - 1];
    one[i].own = s->own;
    int32_t to = use[s->inputs];
    one[i].to = (uint32_t)sizeof(hw_slot) * (uint32_t)to;
    one[i].place = p->slot[to].place;
    one[i].which = (int16_t)s->single;
    one[i].next = (int16_t)(s->single + HW_SINGLES_END * at_hand(p, one + i, s->inputs));
  }
}

/* With everything it points to, in one piece of memory. */
static hw_program *duplicate(const hw_program *from) {
  size_t dtypes = sizeof(int32_t) * (size_t)(from->inputs + from->outputs), slots_size = sizeof(hw_slot_kind) * (size_t)from->slots;
  size_t steps = sizeof(hw_step) * (size_t)from->steps, uses = sizeof(int32_t) * (size_t)from->uses;
  size_t constants = 16 * (size_t)from->constants, one = sizeof(hw_single_one) * (size_t)from->steps;
  size_t all = sizeof *from + dtypes + slots_size + steps + uses + constants + one + 16 * 7;
  char *free = malloc(all);
  if (!free) return NULL;
  hw_program *to = piece(&free, from, sizeof *from);
  to->constant = piece(&free, from->constant, constants);
  to->step = piece(&free, from->step, steps);
  to->dtype = piece(&free, from->dtype, dtypes);
  to->slot = piece(&free, from->slot, slots_size);
  to->use = piece(&free, from->use, uses);
  to->one = (hw_single_one *)free;
  write_singles((hw_single_one *)free, to);
  return to;
}

/* Readers take no lock, so of an entry nothing but the grain is changed once it can be seen. */
int hw_register(const hw_program *program) {
  pthread_mutex_lock(&lock);
  int status = -1;
  if (hw_find(program->key)) {
    status = 0;
  } else if (used < SLOTS / 2) {
    hw_program *copy = duplicate(program);
    if (copy) {
      uint32_t h = first_slot(program->key);
      while (atomic_load_explicit(&slots[h], memory_order_relaxed)) h = (h + 1) & (SLOTS - 1);
      atomic_store_explicit(&slots[h], copy, memory_order_release);
      used++;
      status = 0;
    }
  }
  pthread_mutex_unlock(&lock);
  return status;
}
