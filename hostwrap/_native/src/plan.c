#include "plan.h"

#include <stdbool.h>
#include <string.h>

enum { SHORT_ROW = 64, CACHE = 1 << 17, SMALLEST_BLOCK = 128, LARGEST_BLOCK = 2048, NODES = 112 };

static int operands(const hw_program *program) { return program->inputs + program->outputs; }

/* Strides of dimension d of every operand; `step` is what one step along it means, and grows to the next one's. */
static int strides_of(const hw_program *program, int d, const int64_t *const *dims, intptr_t *step, intptr_t *strides) {
  int64_t size = dims[program->inputs][d];
  for (int k = 0; k < operands(program); k++) {
    int64_t own = dims[k][d];
    if (own != size && (own != 1 || k >= program->inputs)) return k;
    strides[k] = own == 1 ? 0 : step[k];
    step[k] *= (intptr_t)own;
  }
  return -1;
}

/* Whether dimension `outer` goes on where the inner one, of this size, ends. */
static bool continues(const hw_program *program, const intptr_t *outer, const intptr_t *inner, int64_t size) {
  for (int k = 0; k < operands(program); k++)
    if (outer[k] != inner[k] * (intptr_t)size) return false;
  return true;
}

static int64_t block_of(const hw_plan *plan) {
  int64_t bytes = plan->program->temporary;
  for (int k = 0; plan->gather && k < plan->program->inputs; k++) bytes += plan->program->slot[k].size;
  if (!bytes) return plan->total ? plan->total : 1;
  int64_t fits = CACHE / bytes / 16 * 16, block = fits < LARGEST_BLOCK ? fits : LARGEST_BLOCK;
  if (block < SMALLEST_BLOCK) block = SMALLEST_BLOCK;
  if (plan->program->bodies) block = LARGEST_BLOCK; /* few of them take the same branches, and share what a step costs */
  int64_t total = (plan->total + 15) / 16 * 16;
  if (plan->program->bodies && total < NODES) total = NODES; /* few elements go through many nodes at a time */
  return block < total ? block : total;
}

int hw_plan_make(hw_plan *plan, const hw_program *program, int rank, const int64_t *const *dims, void *const *data) {
  intptr_t step[HW_MAX_OPERANDS], strides[HW_MAX_RANK][HW_MAX_OPERANDS];
  int64_t shape[HW_MAX_RANK];
  int merged = 0; /* innermost first */
  plan->program = program;
  plan->total = 1;
  for (int k = 0; k < operands(program); k++) {
    step[k] = program->slot[k].size;
    plan->data[k] = data[k];
  }
  for (int d = rank - 1; d >= 0; d--) {
    int wrong = strides_of(program, d, dims, step, strides[merged]);
    if (wrong >= 0) return wrong;
    int64_t size = dims[program->inputs][d];
    plan->total *= size;
    if (size == 1) continue;
    if (merged && continues(program, strides[merged], strides[merged - 1], shape[merged - 1]))
      shape[merged - 1] *= size;
    else
      shape[merged++] = size;
  }
  plan->rank = merged;
  for (int d = 0; d < merged; d++) {
    plan->shape[d] = shape[merged - 1 - d];
    memcpy(plan->strides[d], strides[merged - 1 - d], sizeof strides[0]);
  }
  plan->gather = merged > 1 && shape[0] < SHORT_ROW;
  plan->capacity = block_of(plan);
  return -1;
}

int64_t hw_plan_locate(const hw_plan *plan, int64_t first, char **at) {
  int inputs = plan->program->inputs, last = plan->rank - 1;
  int64_t left = plan->rank ? plan->shape[last] - first % plan->shape[last] : 1;
  for (int k = 0; k < inputs; k++) at[k] = plan->data[k];
  for (int d = last; d >= 0; d--) {
    intptr_t index = (intptr_t)(d ? first % plan->shape[d] : first);
    for (int k = 0; k < inputs; k++) at[k] += index * plan->strides[d][k];
    first /= plan->shape[d];
  }
  return left;
}
