/* Arithmetic on single numbers that a tape recorded, at other numbers: values, tangents and cotangents. One row is one
 * operation; there is no loop, so that what this costs is the arithmetic. A row may be a test instead. Where a test has
 * another outcome than it had, the code that was recorded would have taken another way, and the values mean nothing. */
#include "again.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#define LN2 0.69314718055994530942
#define LN10 2.30258509299404568402
#define DEGREE 0.017453292519943295769 /* pi / 180 */

static double sign(double x) { return (x > 0) - (x < 0); }

static double remainder_of(double x, double y) { /* of the sign of y, as in Python */
  double r = fmod(x, y);
  return r != 0 && (y < 0) != (r < 0) ? r + y : r == 0 ? copysign(0, y) : r;
}

static double power_in_base(double x, double y) { return y == 2 ? 2 * x : y == 0 ? 0 : y * pow(x, y - 1); }

static double larger(double x, double y) { return (x > y) + 0.5 * (x == y); }

/* A number of NumPy's name, its result r of x and y, and its partial derivatives, which are those of _tracing/tape/partials. */
#define HW_OPERATIONS(OP)                                                                  \
  OP(add, x + y, 1, 1)                                                                     \
  OP(subtract, x - y, 1, -1)                                                               \
  OP(multiply, x *y, y, x)                                                                 \
  OP(divide, x / y, 1 / y, -r / y)                                                         \
  OP(power, pow(x, y), power_in_base(x, y), r * log(x == 0 ? 1 : x))                       \
  OP(negative, -x, -1, 0)                                                                  \
  OP(positive, x, 1, 0)                                                                    \
  OP(square, x *x, 2 * x, 0)                                                               \
  OP(sqrt, sqrt(x), 0.5 / r, 0)                                                            \
  OP(cbrt, cbrt(x), 1 / (3 * r * r), 0)                                                    \
  OP(reciprocal, 1 / x, -r * r, 0)                                                         \
  OP(absolute, fabs(x), sign(x), 0)                                                        \
  OP(exp, exp(x), r, 0)                                                                    \
  OP(exp2, exp2(x), r *LN2, 0)                                                             \
  OP(expm1, expm1(x), r + 1, 0)                                                            \
  OP(log, log(x), 1 / x, 0)                                                                \
  OP(log2, log2(x), 1 / (x * LN2), 0)                                                      \
  OP(log10, log10(x), 1 / (x * LN10), 0)                                                   \
  OP(log1p, log1p(x), 1 / (1 + x), 0)                                                      \
  OP(sin, sin(x), cos(x), 0)                                                               \
  OP(cos, cos(x), -sin(x), 0)                                                              \
  OP(tan, tan(x), 1 + r * r, 0)                                                            \
  OP(arcsin, asin(x), 1 / sqrt((1 - x) * (1 + x)), 0)                                      \
  OP(arccos, acos(x), -1 / sqrt((1 - x) * (1 + x)), 0)                                     \
  OP(arctan, atan(x), 1 / (1 + x * x), 0)                                                  \
  OP(arctan2, atan2(x, y), y / (x * x + y * y), -x / (x * x + y * y))                      \
  OP(sinh, sinh(x), cosh(x), 0)                                                            \
  OP(cosh, cosh(x), sinh(x), 0)                                                            \
  OP(tanh, tanh(x), 1 - r * r, 0)                                                          \
  OP(arcsinh, asinh(x), 1 / sqrt(x * x + 1), 0)                                            \
  OP(arccosh, acosh(x), 1 / (sqrt(x - 1) * sqrt(x + 1)), 0)                                \
  OP(arctanh, atanh(x), 1 / ((1 - x) * (1 + x)), 0)                                        \
  OP(hypot, hypot(x, y), x / r, y / r)                                                     \
  OP(maximum, x > y || x != x ? x : y, larger(x, y), larger(y, x))                         \
  OP(minimum, x < y || x != x ? x : y, larger(y, x), larger(x, y))                         \
  OP(deg2rad, x *DEGREE, DEGREE, 0)                                                        \
  OP(rad2deg, x / DEGREE, 1 / DEGREE, 0)                                                   \
  OP(remainder, remainder_of(x, y), 1, -floor(x / y))                                      \
  OP(fmod, fmod(x, y), 1, -trunc(x / y))                                                   \
  OP(copysign, copysign(x, y), sign(x) * copysign(1, y), 0)                                \
  OP(floor, floor(x), 0, 0)                                                                \
  OP(ceil, ceil(x), 0, 0)                                                                  \
  OP(trunc, trunc(x), 0, 0)                                                                \
  OP(rint, rint(x), 0, 0)                                                                  \
  OP(sign, x != x ? x : sign(x), 0, 0)

#define HW_TESTS(TEST)          \
  TEST(less, x < y)             \
  TEST(less_equal, x <= y)      \
  TEST(greater, x > y)          \
  TEST(greater_equal, x >= y)   \
  TEST(equal, x == y)           \
  TEST(not_equal, x != y)

#define OP(name, value, in_x, in_y) is_##name,
#define TEST(name, outcome) is_##name,
enum { HW_OPERATIONS(OP) HW_TESTS(TEST) };
#undef OP
#undef TEST

int32_t hw_again_number(const char *name) {
#define OP(name, value, in_x, in_y) #name,
#define TEST(name, outcome) #name,
  static const char *const names[] = {HW_OPERATIONS(OP) HW_TESTS(TEST)};
#undef OP
#undef TEST
  for (int32_t i = 0; i < (int32_t)(sizeof names / sizeof *names); i++)
    if (!strcmp(names[i], name)) return i;
  return -1;
}

#define OP(name, value, in_x, in_y) \
  case is_##name:                   \
    at[i] = value;                  \
    break;
#define TEST(name, outcome)                         \
  case is_##name:                                   \
    if ((outcome) != (row->more != 0)) return false; \
    at[i] = 0;                                      \
    break;

int32_t hw_again_values(const hw_row *rows, int64_t count, int64_t first, double *values) {
  double *at = values + first;
  for (int64_t i = 0; i < count; i++) {
    const hw_row *row = rows + i;
    double x = values[row->x], y = values[row->y];
    switch (row->kind) { HW_OPERATIONS(OP) HW_TESTS(TEST) }
  }
  return true;
}
#undef OP
#undef TEST

/* With the partial derivatives of row i in dx and dy. */
#define OP(name, value, in_x, in_y)      \
  case is_##name:                        \
    if (row->more & HW_X) dx = in_x;     \
    if (row->more & HW_Y) dy = in_y;     \
    break;
#define PARTIALS                                                          \
  const hw_row *row = rows + i;                                           \
  double x = values[row->x], y = values[row->y], r = values[first + i];   \
  double dx = 0, dy = 0;                                                  \
  if (row->kind >= is_less) continue;                                     \
  (void)y, (void)r;                                                       \
  switch (row->kind) { HW_OPERATIONS(OP) }

void hw_again_along(const hw_row *rows, int64_t count, int64_t first, const double *values, double *tangents) {
  for (int64_t i = 0; i < count; i++) {
    PARTIALS
    double t = 0;
    if (row->more & HW_X) t += dx * tangents[row->x];
    if (row->more & HW_Y) t += dy * tangents[row->y];
    tangents[first + i] = t;
  }
}

void hw_again_back(const hw_row *rows, int64_t count, int64_t first, const double *values, double *cotangents) {
  for (int64_t i = count - 1; i >= 0; i--) {
    PARTIALS
    double c = cotangents[first + i];
    if (row->more & HW_X) cotangents[row->x] += dx * c;
    if (row->more & HW_Y) cotangents[row->y] += dy * c;
  }
}
