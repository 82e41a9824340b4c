/* The same programs, called from Python: `dims` are the dimensions of one operand after the other, all of one rank.
 * Returns 0, or -1 if what is in the results is anything. */
#include "plan.h"
#include "python.h"
#include "share.h"

__attribute__((visibility("default"))) int hw_call(uint64_t key, int rank, const int64_t *dims, void *const *data) {
  const hw_program *program = hw_find(key);
  if (!program || rank < 0 || rank > HW_MAX_RANK) return -1;
  const int64_t *each[HW_MAX_OPERANDS];
  for (int k = 0; k < program->inputs + program->outputs; k++) each[k] = dims + k * rank;
  hw_plan plan;
  if (hw_plan_make(&plan, program, rank, each, data) >= 0) return -1;
  bool done = !plan.total || hw_alone(&plan);
  char message[200];
  return hw_python_error(message, sizeof message) || !done ? -1 : 0;
}
