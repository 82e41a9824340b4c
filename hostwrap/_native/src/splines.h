/* Sums of B-splines on a grid: their slopes at places, and what places give back to the coefficients. */
#ifndef HOSTWRAP_SPLINES_H
#define HOSTWRAP_SPLINES_H
#include <stdint.h>

enum { HW_SPLINE_AXES = 8, HW_SPLINE_ORDER = 5 };

/* What stands for a pixel outside of the grid. */
enum { HW_MIRROR, HW_REFLECT, HW_REPEAT, HW_NEAREST, HW_OUTSIDE };

typedef struct {
  const int64_t *sizes;  /* of the coefficients, along each axis */
  const double *places;  /* [axes, count] */
  int64_t axes, count, order, mode;
  double outside; /* the coefficient outside of the grid, with HW_OUTSIDE */
} hw_spline;

/* How fast the sum grows at each place along each axis: [axes, count]. */
__attribute__((visibility("default"))) void hw_spline_slopes(
    const hw_spline *spline, const double *coefficients, double *slopes);

/* Adds to each coefficient what it counts in `sum of c * value at the place`. */
__attribute__((visibility("default"))) void hw_spline_spread(
    const hw_spline *spline, const double *c, double *coefficients);

#endif
