#include "plan.h"

#include <stdbool.h>
#include <string.h>

static int operands(const hw_loop *loop) { return loop->inputs + loop->outputs; }

/* Strides of dimension d of every operand; `step` is what one step along it means, and grows to the next one's. */
static int strides_of(const hw_loop *loop, int d, const int64_t *const *dims, intptr_t *step, intptr_t *strides) {
  int64_t size = dims[loop->inputs][d];
  for (int k = 0; k < operands(loop); k++) {
    int64_t own = dims[k][d];
    if (own != size && (own != 1 || k >= loop->inputs)) return k;
    strides[k] = own == 1 ? 0 : step[k];
    step[k] *= (intptr_t)own;
  }
  return -1;
}

/* Whether dimension `outer` goes on where the inner one, of this size, ends. */
static bool continues(const hw_loop *loop, const intptr_t *outer, const intptr_t *inner, int64_t size) {
  for (int k = 0; k < operands(loop); k++)
    if (outer[k] != inner[k] * (intptr_t)size) return false;
  return true;
}

int hw_plan_make(hw_plan *plan, const hw_loop *loop, int rank, const int64_t *const *dims, void *const *data) {
  intptr_t step[HW_MAX_OPERANDS], strides[HW_MAX_RANK][HW_MAX_OPERANDS];
  int64_t shape[HW_MAX_RANK];
  int merged = 0; /* innermost first */
  plan->loop = loop;
  plan->total = 1;
  for (int k = 0; k < operands(loop); k++) {
    step[k] = loop->itemsize[k];
    plan->data[k] = data[k];
  }
  for (int d = rank - 1; d >= 0; d--) {
    int wrong = strides_of(loop, d, dims, step, strides[merged]);
    if (wrong >= 0) return wrong;
    int64_t size = dims[loop->inputs][d];
    plan->total *= size;
    if (size == 1) continue;
    if (merged && continues(loop, strides[merged], strides[merged - 1], shape[merged - 1]))
      shape[merged - 1] *= size;
    else
      shape[merged++] = size;
  }
  plan->rank = merged;
  for (int d = 0; d < merged; d++) {
    plan->shape[d] = shape[merged - 1 - d];
    memcpy(plan->strides[d], strides[merged - 1 - d], sizeof strides[0]);
  }
  return -1;
}

void hw_plan_run(const hw_plan *plan, int64_t first, int64_t last) {
  const hw_loop *loop = plan->loop;
  int outer = plan->rank ? plan->rank - 1 : 0;
  int64_t inner = plan->rank ? plan->shape[outer] : 1, index[HW_MAX_RANK];
  intptr_t scalar[HW_MAX_OPERANDS] = {0};
  const intptr_t *steps = plan->rank ? plan->strides[outer] : scalar;
  int64_t row = first / inner, start = first % inner;
  for (int d = outer - 1; d >= 0; d--) {
    index[d] = row % plan->shape[d];
    row /= plan->shape[d];
  }
  while (first < last) {
    intptr_t count = (intptr_t)(inner - start < last - first ? inner - start : last - first);
    char *args[HW_MAX_OPERANDS]; /* anew for each call: a loop may advance them */
    for (int k = 0; k < operands(loop); k++) {
      args[k] = plan->data[k] + start * steps[k];
      for (int d = 0; d < outer; d++) args[k] += index[d] * plan->strides[d][k];
    }
    loop->function(args, &count, steps, loop->data);
    first += count;
    start = 0;
    for (int d = outer - 1; d >= 0 && ++index[d] == plan->shape[d]; d--) index[d] = 0;
  }
}
