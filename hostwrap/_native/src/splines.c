/* Sums of B-splines on a grid, of orders 0 to 5: the value at a place is a sum of (order + 1)^axes coefficients around
 * it, each times a product of weights. `ndimage/_splines.py` and `ndimage/_places.py` say the same in NumPy, with arrays
 * of all these products; here none is kept. */
#include "splines.h"

#include <math.h>
#include <stdbool.h>

enum { WIDTH = HW_SPLINE_ORDER + 1 };

static const double FARTHEST = 9007199254740992.0; /* 2^53: a pixel that has a number, which infinity and NaN do not */

/* Along one axis: the pixels that count, how much, how fast that grows, and where they lie among the coefficients. */
typedef struct {
  double weight[WIDTH], slope[WIDTH];
  int64_t at[WIDTH];
  bool outside[WIDTH], plain; /* plain: none is outside, and they lie in a row */
} line;

#define UNROLLED _Pragma("GCC unroll 6")
#define INLINE static inline __attribute__((always_inline)) /* so that the order is a constant where it is one below */

/* From degree d - 1 to d, B_j gets (1 - t + j) B_j / d + (t + d - j) B_(j-1) / d, and the slope is B_(j-1) - B_j (de Boor,
 * A Practical Guide to Splines, X, for knots at distance 1). Returns the first pixel. */
INLINE int64_t basis(double x, int order, line *l) {
  double middle = order % 2 ? x : x + 0.5, whole = middle;
  if (fabs(middle) < FARTHEST) { /* floor, which is a call */
    whole = (double)(int64_t)middle;
    if (whole > middle) whole -= 1;
  }
  double t = middle - whole, w[WIDTH] = {1}, below[WIDTH] = {0}, before = 1; /* before: (order - 1)! */
  UNROLLED for (int d = 1; d <= order; d++) { /* times d! */
    UNROLLED for (int j = 0; j < d; j++) below[j] = w[j];
    w[0] = (1 - t) * below[0];
    UNROLLED for (int j = 1; j < d; j++) w[j] = (t + d - j) * below[j - 1] + (1 - t + j) * below[j];
    w[d] = t * below[d - 1];
    if (d < order) before *= d;
  }
  UNROLLED for (int j = 0; j <= order; j++) {
    l->weight[j] = order ? w[j] * (1 / (before * order)) : 1;
    l->slope[j] = ((j ? below[j - 1] : 0) - (j < order ? below[j] : 0)) * (1 / before);
  }
  return (fabs(whole) < FARTHEST ? (int64_t)whole : 0) - order / 2;
}

/* The pixel that stands at i, which is outside. */
static int64_t fold(int64_t i, int64_t n, int64_t mode) {
  if (mode == HW_NEAREST) return i < 0 ? 0 : n - 1;
  int64_t period = mode == HW_REPEAT ? n : mode == HW_REFLECT ? 2 * n : n > 1 ? 2 * n - 2 : 1;
  i = (i % period + period) % period;
  return i < n ? i : mode == HW_REFLECT ? period - 1 - i : period - i;
}

/* All axes at one place. */
INLINE void lines_at(const hw_spline *s, int order, int64_t place, line *lines) {
  int64_t stride = 1;
  for (int64_t axis = s->axes - 1; axis >= 0; axis--) {
    line *l = lines + axis;
    int64_t n = s->sizes[axis], first = basis(s->places[axis * s->count + place], order, l);
    l->plain = first >= 0 && first + order < n;
    if (l->plain) {
      UNROLLED for (int j = 0; j <= order; j++) {
        l->at[j] = stride * (first + j);
        l->outside[j] = false;
      }
    } else UNROLLED for (int j = 0; j <= order; j++) {
      int64_t i = first + j;
      bool beyond = i < 0 || i >= n;
      l->outside[j] = beyond && s->mode == HW_OUTSIDE;
      l->at[j] = l->outside[j] ? 0 : stride * (beyond ? fold(i, n, s->mode) : i);
    }
    stride *= n;
  }
}

/* The sum of coefficients along the last axis, and its slope. */
INLINE double sum_of_line(const line *l, int order, const double *coefficients, bool outside, double other, double *slope) {
  double value = 0;
  *slope = 0;
  if (l->plain && !outside) {
    coefficients += l->at[0];
    UNROLLED for (int j = 0; j <= order; j++) value += l->weight[j] * coefficients[j];
    UNROLLED for (int j = 0; j <= order; j++) *slope += l->slope[j] * coefficients[j];
    return value;
  }
  UNROLLED for (int j = 0; j <= order; j++) {
    double x = outside || l->outside[j] ? other : coefficients[l->at[j]];
    value += l->weight[j] * x;
    *slope += l->slope[j] * x;
  }
  return value;
}

/* Along the last two axes. */
INLINE double sum_of_plane(const line *l, int order, const double *coefficients, bool outside, double other, double *slope) {
  double value = 0, first = 0, second = 0;
  UNROLLED for (int j = 0; j <= order; j++) {
    double along, x = sum_of_line(l + 1, order, coefficients + l->at[j], outside || l->outside[j], other, &along);
    value += l->weight[j] * x;
    first += l->slope[j] * x;
    second += l->weight[j] * along;
  }
  slope[0] = first;
  slope[1] = second;
  return value;
}

static double sums(
    const line *l, int order, int64_t axes, const double *coefficients, bool outside, double other, double *slope) {
  if (axes == 1) return sum_of_line(l, order, coefficients, outside, other, slope);
  if (axes == 2) return sum_of_plane(l, order, coefficients, outside, other, slope);
  double value = 0, further[HW_SPLINE_AXES];
  for (int64_t k = 0; k < axes; k++) slope[k] = 0;
  UNROLLED for (int j = 0; j <= order; j++) {
    double x = sums(l + 1, order, axes - 1, coefficients + l->at[j], outside || l->outside[j], other, further);
    value += l->weight[j] * x;
    slope[0] += l->slope[j] * x;
    for (int64_t k = 1; k < axes; k++) slope[k] += l->weight[j] * further[k - 1];
  }
  return value;
}

INLINE void slopes_of(const hw_spline *s, int order, const double *coefficients, double *slopes) {
  line lines[HW_SPLINE_AXES];
  double slope[HW_SPLINE_AXES];
  for (int64_t i = 0; i < s->count; i++) {
    lines_at(s, order, i, lines);
    if (s->axes == 1) sum_of_line(lines, order, coefficients, false, s->outside, slope);
    else if (s->axes == 2) sum_of_plane(lines, order, coefficients, false, s->outside, slope);
    else sums(lines, order, s->axes, coefficients, false, s->outside, slope);
    for (int64_t axis = 0; axis < s->axes; axis++) slopes[axis * s->count + i] = slope[axis];
  }
}

INLINE void spread_line(const line *l, int order, double c, double *coefficients) {
  if (l->plain) {
    coefficients += l->at[0];
    UNROLLED for (int j = 0; j <= order; j++) coefficients[j] += c * l->weight[j];
    return;
  }
  UNROLLED for (int j = 0; j <= order; j++)
    if (!l->outside[j]) coefficients[l->at[j]] += c * l->weight[j];
}

static void spread(const line *l, int order, int64_t axes, double c, double *coefficients) {
  UNROLLED for (int j = 0; j <= order; j++) {
    if (l->outside[j]) continue;
    if (axes == 2) spread_line(l + 1, order, c * l->weight[j], coefficients + l->at[j]);
    else spread(l + 1, order, axes - 1, c * l->weight[j], coefficients + l->at[j]);
  }
}

INLINE void spread_of(const hw_spline *s, int order, const double *c, double *coefficients) {
  line lines[HW_SPLINE_AXES];
  for (int64_t i = 0; i < s->count; i++) {
    lines_at(s, order, i, lines);
    if (s->axes == 1) spread_line(lines, order, c[i], coefficients);
    else if (s->axes > 2) spread(lines, order, s->axes, c[i], coefficients);
    else
      UNROLLED for (int j = 0; j <= order; j++)
        if (!lines[0].outside[j]) spread_line(lines + 1, order, c[i] * lines[0].weight[j], coefficients + lines[0].at[j]);
  }
}

#define EACH_ORDER(what, ...)        \
  switch (s->order) {                \
    case 0: what(s, 0, __VA_ARGS__); break; \
    case 1: what(s, 1, __VA_ARGS__); break; \
    case 2: what(s, 2, __VA_ARGS__); break; \
    case 3: what(s, 3, __VA_ARGS__); break; \
    case 4: what(s, 4, __VA_ARGS__); break; \
    case 5: what(s, 5, __VA_ARGS__); break; \
  }

void hw_spline_slopes(const hw_spline *s, const double *coefficients, double *slopes) {
  EACH_ORDER(slopes_of, coefficients, slopes)
}

void hw_spline_spread(const hw_spline *s, const double *c, double *coefficients) {
  EACH_ORDER(spread_of, c, coefficients)
}
