/* The C code alone, under a sanitizer: threads that register, find and run loops at once, on a pool like XLA's. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "share.h"

enum { CALLERS = 4, ROUNDS = 200, ROWS = 37, COLUMNS = 29 };

/* a pool that is late, as a busy one is: each task is a thread of its own */
typedef struct {
  XLA_FFI_Task *task;
  void *data;
} hw_task;

static atomic_int late;

static void *start(void *argument) {
  hw_task given = *(hw_task *)argument;
  free(argument);
  given.task(given.data);
  atomic_fetch_sub(&late, 1);
  return NULL;
}

static XLA_FFI_Error *schedule(XLA_FFI_ThreadPool_Schedule_Args *args) {
  hw_task *given = malloc(sizeof *given);
  *given = (hw_task){args->task, args->data};
  atomic_fetch_add(&late, 1);
  pthread_t thread;
  assert(!pthread_create(&thread, NULL, start, given));
  pthread_detach(thread);
  return NULL;
}

static XLA_FFI_Error *size(XLA_FFI_ThreadPool_NumThreads_Args *args) {
  *args->num_threads = 3;
  return NULL;
}

static void add(char **args, const intptr_t *count, const intptr_t *steps, void *data) {
  (void)data;
  for (intptr_t i = 0; i < *count; i++) {
    *(double *)args[2] = *(double *)args[0] + *(double *)args[1];
    for (int k = 0; k < 3; k++) args[k] += steps[k];
  }
}

/* x + y, and then a constant: two steps with a temporary between them */
static const int32_t dtypes[3], uses[] = {0, 1, 4, 4, 3, 2};
static const hw_slot_kind kinds[] = {{8, -1}, {8, -1}, {8, -1}, {8, -1}, {8, 0}};
static const hw_step steps[] = {{.function = add, .inputs = 2, .operands = 3, .own = 1},
                                {.function = add, .inputs = 2, .operands = 3, .first = 3}};
static const double constant[] = {0.5, 0};

static hw_program program_of(uint64_t key) {
  return (hw_program){.key = key, .inputs = 2, .outputs = 1, .constants = 1, .slots = 5, .steps = 2, .uses = 6,
                      .temporary = 8, .dtype = dtypes, .slot = kinds, .step = steps, .use = uses, .read = 1,
                      .constant = (const char *)constant};
}

static void *call(void *argument) {
  XLA_FFI_Api api = {0};
  api.XLA_FFI_ThreadPool_Schedule = schedule;
  api.XLA_FFI_ThreadPool_NumThreads = size;
  XLA_FFI_CallFrame frame = {0};
  frame.api = &api;
  int64_t full[] = {ROWS, COLUMNS}, row[] = {1, COLUMNS};
  const int64_t *dims[] = {full, row, full};
  double *a = malloc(sizeof(double[ROWS * COLUMNS])), b[COLUMNS], *sum = malloc(sizeof(double[ROWS * COLUMNS]));
  for (int i = 0; i < ROWS * COLUMNS; i++) a[i] = i;
  for (int i = 0; i < COLUMNS; i++) b[i] = 1000 * i;
  for (int round = 0; round < ROUNDS; round++) {
    hw_program program = program_of((uint64_t)(round % 50 + (intptr_t)argument));
    assert(!hw_register(&program));
    hw_plan plan;
    assert(hw_plan_make(&plan, hw_find(program.key), 2, dims, (void *[]){a, b, sum}) < 0);
    memset(sum, 0, sizeof(double[ROWS * COLUMNS]));
    hw_set_grain(program.key, 1 + round % 300);
    hw_set_threads(1 + round % 3);
    assert(hw_share(&frame, &plan, round % 5));
    for (int i = 0; i < ROWS * COLUMNS; i++) assert(sum[i] == i + 1000 * (i % COLUMNS) + 0.5);
  }
  free(a);
  free(sum);
  return NULL;
}

int main(void) {
  pthread_t callers[CALLERS];
  for (intptr_t i = 0; i < CALLERS; i++) pthread_create(&callers[i], NULL, call, (void *)(10 * i));
  for (int i = 0; i < CALLERS; i++) pthread_join(callers[i], NULL);
  while (atomic_load(&late)) sched_yield(); /* tasks that came when all was done */
  printf("done\n");
  return 0;
}
