#include "registry.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define SLOTS (1u << 14) /* a power of two; open addressing, at most half full */

static _Atomic(hw_loop *) slots[SLOTS];
static unsigned used;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

size_t hw_loop_size(void) { return sizeof(hw_loop); }

static uint32_t first_slot(uint64_t key) { return (uint32_t)(key ^ (key >> 32)) & (SLOTS - 1); }

const hw_loop *hw_find(uint64_t key) {
  for (uint32_t i = 0, h = first_slot(key); i < SLOTS; i++, h = (h + 1) & (SLOTS - 1)) {
    hw_loop *loop = atomic_load_explicit(&slots[h], memory_order_acquire);
    if (!loop || loop->key == key) return loop;
  }
  return NULL;
}

/* Readers take no lock, so an entry is never changed once it can be seen. */
int hw_register(const hw_loop *loop) {
  pthread_mutex_lock(&lock);
  int status = -1;
  if (hw_find(loop->key)) {
    status = 0;
  } else if (used < SLOTS / 2) {
    hw_loop *copy = malloc(sizeof *copy);
    if (copy) {
      *copy = *loop;
      uint32_t h = first_slot(loop->key);
      while (atomic_load_explicit(&slots[h], memory_order_relaxed)) h = (h + 1) & (SLOTS - 1);
      atomic_store_explicit(&slots[h], copy, memory_order_release);
      used++;
      status = 0;
    }
  }
  pthread_mutex_unlock(&lock);
  return status;
}
