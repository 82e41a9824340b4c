/* A step is a loop of a ufunc; a branch: a body for the elements where a mask holds; or a repetition: a body that each
 * element goes through until it has had enough. A body gets its elements side by side, so its steps are loops as all
 * others, and what an element is given does not depend on its neighbours. */
#include "steps.h"

#include <string.h>

#include "single.h"

static bool is_temporary(const hw_program *p, int slot) { return slot >= p->inputs + p->outputs + p->constants; }

/* A slot that is about to be written goes to its place, unless somebody else says where it lies. */
static inline char *settle(hw_slots *slots, int slot) {
  int32_t place = slots->program->slot[slot].place;
  if (place >= 0) slots->in[slot].at = slots->scratch + slots->room * place;
  return slots->in[slot].at;
}

static void loop(hw_slots *slots, const hw_step *s, intptr_t count) {
  const hw_program *p = slots->program;
  const int32_t *use = p->use + s->first;
  int inputs = s->inputs, operands = s->operands;
  char *args[HW_MAX_OPERANDS]; /* anew for each call: a loop may advance them */
  intptr_t strides[HW_MAX_OPERANDS], any = 0;
  for (int k = 0; k < inputs; k++) {
    hw_slot slot = slots->in[use[k]];
    args[k] = slot.at;
    any |= strides[k] = slot.stride;
  }
  bool one = !any && s->own;
  for (int k = inputs; k < operands; k++) {
    int32_t size = p->slot[use[k]].size;
    args[k] = settle(slots, use[k]);
    strides[k] = size; /* of one result too: NumPy multiplies complex numbers by other instructions where it has no stride */
    slots->in[use[k]].stride = one ? 0 : size;
  }
  if (one) count = 1;
  s->function(args, &count, strides, s->data);
}

/* ---- moving elements */

typedef struct {
  char *at;
  intptr_t stride;
  const int32_t *which; /* element i is number which[i]; NULL: i */
} hw_elements;

static inline void move_sized(hw_elements to, hw_elements from, intptr_t count, size_t size) {
  if (!to.which && !from.which)
    for (intptr_t i = 0; i < count; i++, to.at += to.stride, from.at += from.stride) {
      char number[16];
      memcpy(number, from.at, size);
      memcpy(to.at, number, size);
    }
  else
    for (intptr_t i = 0; i < count; i++) {
      intptr_t t = to.which ? to.which[i] : i, f = from.which ? from.which[i] : i;
      char number[16];
      memcpy(number, from.at + f * from.stride, size); /* both may be one array, whose elements move forward */
      memcpy(to.at + t * to.stride, number, size);
    }
}

/* By address: structures in registers would be put together from parts in memory, which processors wait for. */
static void move_many(const hw_elements *to, const hw_elements *from, intptr_t count, int32_t size) {
  if (size == 8) move_sized(*to, *from, count, 8);
  else if (size == 1) move_sized(*to, *from, count, 1);
  else if (size == 4) move_sized(*to, *from, count, 4);
  else if (size == 16) move_sized(*to, *from, count, 16);
  else move_sized(*to, *from, count, (size_t)size);
}

static inline void move_one(char *to, const char *from, int32_t size) {
  if (size == 8) memcpy(to, from, 8);
  else if (size == 1) *to = *from;
  else memmove(to, from, (size_t)size);
}

static inline char *element(const hw_elements *e, intptr_t i) { return e->at + (e->which ? e->which[i] : i) * e->stride; }

static inline void move(hw_elements to, hw_elements from, intptr_t count, int32_t size) {
  if (count == 1) move_one(element(&to, 0), element(&from, 0), size);
  else move_many(&to, &from, count, size);
}

/* One slot as another, of all elements: one number stays one where it may. */
static void copy(hw_slots *slots, int to, int from, intptr_t count) {
  const hw_program *p = slots->program;
  int32_t size = p->slot[to].size;
  intptr_t stride = slots->in[from].stride;
  bool one = stride == 0 && is_temporary(p, to);
  settle(slots, to);
  slots->in[to].stride = one ? 0 : size;
  if (count == 1) move_one(slots->in[to].at, slots->in[from].at, size);
  else if (stride == size) memcpy(slots->in[to].at, slots->in[from].at, (size_t)count * (size_t)size);
  else move((hw_elements){slots->in[to].at, size, NULL}, (hw_elements){slots->in[from].at, stride, NULL}, one ? 1 : count, size);
}

/* ---- bodies */

typedef struct {
  int32_t flag, turn;
  const int32_t *outer, *inner;             /* what it gets; a repetition's first ones are what it carries on */
  const int32_t *result, *target, *other;   /* what it gives, where to, and what those get whom it does not serve */
  const int32_t *row, *table;               /* in turn t, row[r] is the constant table[r] + t */
  int inputs, results, rows, first, last;
} hw_body;

static hw_body body_of(const hw_program *p, int i) {
  const hw_step *s = p->step + i;
  const int32_t *use = p->use + s->first, *outer = use + 2, *result = outer + 2 * s->inputs;
  int results = (s->operands - 2 - 2 * s->inputs - 2 * s->rows) / 3;
  return (hw_body){.flag = use[0], .turn = use[1], .outer = outer, .inner = outer + s->inputs, .result = result,
                   .target = result + results, .other = result + 2 * results, .inputs = s->inputs,
                   .row = result + 3 * results,
                   .table = result + 3 * results + s->rows, .results = results, .rows = s->rows, .first = i + 1, .last = i + 1 + s->body};
}

static void run(hw_slots *slots, int first, int last, intptr_t count);

static char *number(const hw_program *p, int constant) {
  return (char *)p->constant + 16 * (constant - p->inputs - p->outputs);
}

static char *home(const hw_slots *slots, int slot) {
  int32_t place = slots->program->slot[slot].place;
  return slots->scratch + slots->room * (place < 0 ? ~place : place);
}

/* The inner slots are the outer ones, or some elements of them. */
static void give(hw_slots *slots, const hw_body *b, const int32_t *which, intptr_t count) {
  hw_slot *in = slots->in;
  const int32_t *inner = b->inner, *outer = b->outer;
  for (int k = 0, inputs = b->inputs; k < inputs; k++) {
    int to = inner[k];
    hw_slot from = in[outer[k]];
    in[to] = from;
    if (!which || from.stride == 0) continue;
    int size = slots->program->slot[to].size;
    in[to].at = home(slots, to);
    in[to].stride = size;
    move((hw_elements){in[to].at, size, NULL}, (hw_elements){from.at, from.stride, which}, count, size);
  }
}

/* Elements of the results to where they belong. */
static void deliver(hw_slots *slots, const hw_body *b, const int32_t *to, const int32_t *from, intptr_t count) {
  for (int k = 0; k < b->results; k++) {
    int size = slots->program->slot[b->target[k]].size;
    move((hw_elements){slots->in[b->target[k]].at, size, to},
         (hw_elements){slots->in[b->result[k]].at, slots->in[b->result[k]].stride, from}, count, size);
  }
}

/* The targets as if there were no body; in full, where elements of them will be replaced. */
static void prepare(hw_slots *slots, const hw_body *b, bool full, intptr_t count) {
  for (int k = 0; k < b->results; k++) {
    int to = b->target[k], from = b->other[k], size = slots->program->slot[to].size;
    if (!full || slots->in[from].stride) {
      copy(slots, to, from, count);
      continue;
    }
    settle(slots, to);
    slots->in[to].stride = size;
    move((hw_elements){slots->in[to].at, size, NULL}, (hw_elements){slots->in[from].at, 0, NULL}, count, size);
  }
}

static void branch(hw_slots *slots, int i, intptr_t count) {
  hw_body b = body_of(slots->program, i);
  const char *flag = slots->in[b.flag].at;
  intptr_t stride = slots->in[b.flag].stride, hits = 0;
  int32_t *which = (int32_t *)(slots->scratch + slots->room * slots->program->step[i].place);
  if (stride == 0) hits = *flag ? count : 0;
  else
    for (intptr_t e = 0; e < count; e++) {
      which[hits] = (int32_t)e;
      hits += flag[e * stride] != 0;
    }
  bool all = hits == count;
  if (!all) prepare(slots, &b, hits, count);
  if (!hits) return;
  give(slots, &b, all ? NULL : which, hits);
  run(slots, b.first, b.last, hits);
  if (!all) deliver(slots, &b, which, NULL, hits);
  for (int k = 0; all && k < b.results; k++) copy(slots, b.target[k], b.result[k], count);
}

/* Only these elements go on, from the front. What is carried on is in the results. */
static void shrink(hw_slots *slots, const hw_body *b, const int32_t *which, intptr_t count) {
  for (int k = 0; k < b->inputs; k++) {
    int slot = k < b->results ? b->result[k] : b->inner[k], size = slots->program->slot[slot].size;
    if (slots->in[slot].stride == 0) continue;
    hw_elements from = {slots->in[slot].at, slots->in[slot].stride, which};
    if (k >= b->results) slots->in[slot].at = home(slots, slot);
    slots->in[slot].stride = size;
    move((hw_elements){slots->in[slot].at, size, NULL}, from, count, size);
  }
}

/* The results take the places of what was carried on until now, and leave theirs for the next ones. */
static void carry(hw_slots *slots, const hw_body *b, bool first) {
  hw_slot *in = slots->in; /* held here: for all that the compiler knows, a write to a slot might move it */
  const int32_t *inner = b->inner, *result = b->result;
  for (int k = 0, results = b->results; k < results; k++) {
    hw_slot *now = in + inner[k], *next = in + result[k];
    char *free = first ? home(slots, inner[k]) : now->at;
    now->at = next->at;
    now->stride = next->stride;
    next->at = free;
  }
}

/* The elements that go through a repetition. */
typedef struct {
  intptr_t here, alive; /* in the slots, and how many of those go on */
  int32_t *index;       /* number of each in the block, -1 if it is through; not yet written while all go on */
  int32_t *which, *number;
} hw_crowd;

static const int32_t THROUGH = -1;

/* Delivers those that have had enough in this turn. */
static void leave(hw_slots *slots, const hw_body *b, hw_crowd *crowd) {
  const char *flag = slots->in[b->flag].at;
  intptr_t stride = slots->in[b->flag].stride, through = 0;
  for (intptr_t e = 0; e < crowd->here; e++) {
    if (flag[e * stride] || crowd->index[e] == THROUGH) continue;
    crowd->which[through] = (int32_t)e;
    crowd->number[through++] = crowd->index[e];
    crowd->index[e] = THROUGH;
  }
  deliver(slots, b, crowd->number, crowd->which, through);
  crowd->alive -= through;
}

/* Those that are through are computed with the others until they are many. */
static void close_up(hw_slots *slots, const hw_body *b, hw_crowd *crowd) {
  intptr_t kept = 0;
  for (intptr_t e = 0; e < crowd->here; e++) {
    if (crowd->index[e] == THROUGH) continue;
    crowd->index[kept] = crowd->index[e];
    crowd->which[kept++] = (int32_t)e;
  }
  crowd->here = kept;
  shrink(slots, b, crowd->which, kept);
}

static bool any_through(const hw_slots *slots, const hw_body *b, intptr_t count) {
  const char *flag = slots->in[b->flag].at;
  return slots->in[b->flag].stride == 0 ? !*flag : memchr(flag, 0, (size_t)count) != NULL;
}

static bool all_through(const hw_slots *slots, const hw_body *b, intptr_t count) {
  const char *flag = slots->in[b->flag].at;
  intptr_t e = 0;
  for (intptr_t n = slots->in[b->flag].stride == 0 ? 1 : count; e < n; e++)
    if (flag[e]) return false;
  return true;
}

/* The turns of a body with rows that need nothing of each other but the totals: of few elements, many at a time. Of
 * more than these, what a step costs by itself is little, and what is the same for all elements is computed once a turn. */
enum { FEW = 32 };

/* Elements of a slot of the body, again for each turn: one behind the other. */
static void tile(hw_slots *slots, int to, int from, intptr_t count, intptr_t turns) {
  int size = slots->program->slot[to].size;
  slots->in[to].at = slots->in[from].at;
  slots->in[to].stride = slots->in[from].stride;
  if (count == 1 && size == 1) slots->in[to].stride = 0; /* a truth: what is chosen by it is chosen once */
  if (slots->in[to].stride == 0) return;
  hw_elements elements = {slots->in[from].at, slots->in[from].stride, NULL};
  slots->in[to].at = home(slots, to);
  slots->in[to].stride = size;
  if (count == 1) move((hw_elements){slots->in[to].at, size, NULL}, (hw_elements){slots->in[from].at, 0, NULL}, turns, size);
  else
    for (intptr_t u = 0; u < turns; u++)
      move((hw_elements){slots->in[to].at + u * count * size, size, NULL}, elements, count, size);
}

static void set_rows(hw_slots *slots, const hw_body *b, int32_t t, intptr_t count, intptr_t turns) {
  for (int r = 0; r < b->rows; r++) {
    int to = b->row[r], size = slots->program->slot[to].size;
    slots->in[to].at = home(slots, to);
    slots->in[to].stride = size;
    char *first = number(slots->program, b->table[r] + t);
    if (count == 1) move((hw_elements){slots->in[to].at, size, NULL}, (hw_elements){first, 16, NULL}, turns, size);
    else
      for (intptr_t u = 0; u < turns; u++)
        move((hw_elements){slots->in[to].at + u * count * size, size, NULL}, (hw_elements){first + 16 * u, 0, NULL}, count, size);
  }
}

/* The last steps of the body add terms to totals: turn by turn, so that the sums have one order. */
static void add_up(hw_slots *slots, const hw_body *b, intptr_t count, intptr_t turns) {
  const hw_program *p = slots->program;
  for (int k = 0; k < b->results; k++) {
    const hw_step *add = p->step + b->last - b->results + k;
    int total = b->inner[k], term = p->use[add->first + 1];
    intptr_t size = p->slot[total].size;
    const double *terms = (const double *)slots->in[term].at;
    double *totals = (double *)slots->in[total].at;
    intptr_t one = size / 8, stride = slots->in[term].stride ? one * count : 0; /* a complex number is two */
    for (intptr_t u = 0; u < turns; u++)
      for (intptr_t i = 0; i < one * count; i++) totals[i] += terms[u * stride + (stride ? i : i % one)];
  }
}

static void sum(hw_slots *slots, int i, intptr_t count, intptr_t most) {
  const hw_program *p = slots->program;
  hw_body b = body_of(p, i);
  int32_t bound = p->step[i].bound;
  if (most > bound) most = bound;
  for (int k = 0; k < b.inputs; k++) {
    int to = b.inner[k], from = b.outer[k], size = p->slot[to].size;
    if (k >= b.results) {
      tile(slots, to, from, count, most);
      continue;
    }
    slots->in[to].at = home(slots, to);
    slots->in[to].stride = size;
    move((hw_elements){slots->in[to].at, size, NULL}, (hw_elements){slots->in[from].at, slots->in[from].stride, NULL}, count, size);
  }
  for (int32_t t = 0; t < bound; t += (int32_t)most) {
    intptr_t turns = most < bound - t ? most : bound - t;
    set_rows(slots, &b, t, count, turns);
    run(slots, b.first, b.last - b.results, turns * count);
    add_up(slots, &b, count, turns);
  }
  for (int k = 0; k < b.results; k++) copy(slots, b.target[k], b.inner[k], count);
}

static void repeat(hw_slots *slots, int i, intptr_t count) {
  const hw_program *p = slots->program;
  hw_body b = body_of(p, i);
  int32_t *numbers = (int32_t *)(slots->scratch + slots->room * p->step[i].place);
  hw_crowd crowd = {count, count, numbers, numbers + slots->room, numbers + 2 * slots->room};
  double turn = 0;
  slots->in[b.turn].at = (char *)&turn;
  slots->in[b.turn].stride = 0;
  for (int k = 0; k < b.results; k++) slots->in[b.result[k]].at = home(slots, b.result[k]);
  give(slots, &b, NULL, count);
  for (int32_t t = 0; t < p->step[i].bound; t++, turn++) {
    for (int r = 0; r < b.rows; r++) {
      slots->in[b.row[r]].at = number(p, b.table[r] + t);
      slots->in[b.row[r]].stride = 0;
    }
    run(slots, b.first, b.last, crowd.here);
    if (count == 1 && *slots->in[b.flag].at) { /* none of the others can be through */
      carry(slots, &b, t == 0);
      continue;
    }
    if (any_through(slots, &b, crowd.here)) {
      if (crowd.alive == count) {
        if (all_through(slots, &b, count)) {
          for (int k = 0; k < b.results; k++) copy(slots, b.target[k], b.result[k], count);
          return;
        }
        prepare(slots, &b, true, count);
        for (intptr_t e = 0; e < count; e++) crowd.index[e] = (int32_t)e;
      }
      leave(slots, &b, &crowd);
      if (!crowd.alive) return;
      if (crowd.alive < crowd.here - crowd.here / 4) close_up(slots, &b, &crowd);
    }
    carry(slots, &b, t == 0);
  }
  if (crowd.alive == count) prepare(slots, &b, false, count);
}

/* Most of the time of one element goes by in it, and a twentieth more where its jumps lie badly in lines of the cache. */
__attribute__((aligned(64))) static void single(hw_slots *slots, int first, int last);

/* A step for which there is no shorter way. */
static inline void step(hw_slots *slots, int i, intptr_t count) {
  const hw_step *s = slots->program->step + i;
  if (s->function) loop(slots, s, count);
  else if (s->sums && count <= FEW && (slots->room - HW_GAP) / count > 1) sum(slots, i, count, (slots->room - HW_GAP) / count);
  else if (s->bound) repeat(slots, i, count);
  else branch(slots, i, count);
}

/* Steps from the first to that before the last, of one element. Each step jumps to the next one by itself: from its own
 * jump the processor learns which kind of step comes after it, and has begun that one while this one is computed. The
 * result of a step stays in a register: from memory the next one would get it some cycles later. So there are four of each
 * kind of step: all operands in memory, or the first, the second or the third one at hand. */
static void single(hw_slots *slots, int first, int last) {
  const hw_program *program = slots->program;
  const hw_single_one *s = program->one + first, *end = program->one + last;
  char *in = (char *)slots->in, *scratch = slots->scratch;
  int64_t room = slots->room;
  double number = 0;
  uint8_t truth = 0;
#define PASTE(id, hand) id##_##hand
#define NAMED(id, hand) PASTE(id, hand)
#define LABEL(id, name, type, value, unless) &&NAMED(id, AT_HAND),
#define slot(offset) ((hw_slot *)(in + (offset)))
#define from(type, k) (*(const type *)slot(s->from[k])->at)
#define x(k) ((k) + 1 == AT_HAND ? number : from(double, k))
#define b(k) ((k) + 1 == AT_HAND ? truth : from(uint8_t, k))
#define p(k) (b(k) != 0)
#define n(k) from(int64_t, k)
#define z(k) from(hw_complex, k)
#define KEEP_double number = result;
#define KEEP__Bool truth = result;
#define KEEP_uint8_t truth = result;
#define KEEP_hw_complex
#define ONE(id, name, type, value, unless)                                  \
  NAMED(id, AT_HAND) : {                                                    \
    if (unless) goto other;                                                 \
    char *to = s->place >= 0 ? scratch + room * s->place : slot(s->to)->at; \
    type result = (value);                                                  \
    KEEP_##type                                                             \
    *(type *)to = result;                                                   \
    *slot(s->to) = (hw_slot){to, sizeof(type)};                             \
    if (++s >= end) return;                                                 \
    goto *label[s->next];                                                   \
  }
  static const void *const label[] = {
#define AT_HAND 0
    &&other, HW_SINGLES(LABEL)
#undef AT_HAND
#define AT_HAND 1
    &&other, HW_SINGLES(LABEL)
#undef AT_HAND
#define AT_HAND 2
    &&other, HW_SINGLES(LABEL)
#undef AT_HAND
#define AT_HAND 3
    &&other, HW_SINGLES(LABEL)
#undef AT_HAND
  };
  if (s >= end) return;
  goto *label[s->which];
#define AT_HAND 0
  HW_SINGLES(ONE)
#undef AT_HAND
#define AT_HAND 1
  HW_SINGLES(ONE)
#undef AT_HAND
#define AT_HAND 2
  HW_SINGLES(ONE)
#undef AT_HAND
#define AT_HAND 3
  HW_SINGLES(ONE)
#undef AT_HAND
other:
  step(slots, (int)(s - program->one), 1);
  s += 1 + program->step[s - program->one].body;
  if (s >= end) return;
  goto *label[s->which];
#undef ONE
#undef z
#undef n
#undef p
#undef b
#undef x
#undef from
#undef slot
}

/* Whether it is one number for the whole block. */
static inline bool uniform(const hw_single_one *s, const hw_slot *in) {
  const char *at = (const char *)in;
#define stride(k) ((const hw_slot *)(at + s->from[k]))->stride
  return s->own && !(stride(0) | stride(1) | stride(2));
#undef stride
}

static void run(hw_slots *slots, int first, int last, intptr_t count) {
  const hw_step *steps = slots->program->step;
  const hw_single_one *one = slots->program->one;
  if (count == 1) single(slots, first, last);
  else
    for (int i = first; i < last; i += 1 + steps[i].body) {
      if (!uniform(one + i, slots->in)) step(slots, i, count);
      else {
        single(slots, i, i + 1);
        ((hw_slot *)((char *)slots->in + one[i].to))->stride = 0;
      }
    }
}

void hw_steps(hw_slots *slots, intptr_t count) { run(slots, 0, slots->program->steps, count); }
