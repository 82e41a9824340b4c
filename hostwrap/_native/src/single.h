/* Arithmetic on one number. NumPy's loops are made for many: with one they spend most of their time to find out how many
 * there are, and whether memory overlaps. What IEEE 754 defines to the bit needs no loop. */
#ifndef HOSTWRAP_SINGLE_H
#define HOSTWRAP_SINGLE_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "steps.h"

typedef struct {
  double re, im;
} hw_complex;

static inline bool hw_same_bits(double x, double y) { return memcmp(&x, &y, sizeof x) == 0; }

/* Loops, and their result of the numbers x(k) and z(k), the integers n(k) or the truths p(k). Which of two zeros is the
 * larger, and what the larger of NaN and a number is, the loop knows. */
#define HW_SINGLES(ONE)                                                                                 \
  ONE(add, "numpy.add ddd", double, x(0) + x(1), false)                                                 \
  ONE(subtract, "numpy.subtract ddd", double, x(0) - x(1), false)                                       \
  ONE(multiply, "numpy.multiply ddd", double, x(0) * x(1), false)                                       \
  ONE(divide, "numpy.divide ddd", double, x(0) / x(1), false)                                           \
  ONE(negative, "numpy.negative dd", double, -x(0), false)                                              \
  ONE(positive, "numpy.positive dd", double, x(0), false)                                               \
  ONE(absolute, "numpy.absolute dd", double, fabs(x(0)), false)                                         \
  ONE(square, "numpy.square dd", double, x(0) * x(0), false)                                            \
  ONE(reciprocal, "numpy.reciprocal dd", double, 1 / x(0), false)                                       \
  ONE(sqrt, "numpy.sqrt dd", double, sqrt(x(0)), false)                                                 \
  ONE(sign, "numpy.sign dd", double, x(0) > 0 ? 1 : -1, !(x(0) < 0 || x(0) > 0))                        \
  ONE(rint, "numpy.rint dd", double, rint(x(0)), false)                                                 \
  ONE(floor, "numpy.floor dd", double, floor(x(0)), false)                                              \
  ONE(maximum, "numpy.maximum ddd", double, x(0) > x(1) ? x(0) : x(1),                                  \
      !(x(0) < x(1) || x(0) > x(1) || hw_same_bits(x(0), x(1))))                                        \
  ONE(minimum, "numpy.minimum ddd", double, x(0) < x(1) ? x(0) : x(1),                                  \
      !(x(0) < x(1) || x(0) > x(1) || hw_same_bits(x(0), x(1))))                                        \
  ONE(less, "numpy.less dd?", _Bool, x(0) < x(1), false)                                                \
  ONE(less_equal, "numpy.less_equal dd?", _Bool, x(0) <= x(1), false)                                   \
  ONE(greater, "numpy.greater dd?", _Bool, x(0) > x(1), false)                                          \
  ONE(greater_equal, "numpy.greater_equal dd?", _Bool, x(0) >= x(1), false)                             \
  ONE(equal, "numpy.equal dd?", _Bool, x(0) == x(1), false)                                             \
  ONE(not_equal, "numpy.not_equal dd?", _Bool, x(0) != x(1), false)                                     \
  ONE(isnan, "numpy.isnan d?", _Bool, x(0) != x(0), false)                                              \
  ONE(isfinite, "numpy.isfinite d?", _Bool, fabs(x(0)) < INFINITY, false)                               \
  ONE(isinf, "numpy.isinf d?", _Bool, fabs(x(0)) == INFINITY, false)                                    \
  ONE(bitwise_and, "numpy.bitwise_and ???", _Bool, p(0) & p(1), false)                                  \
  ONE(bitwise_or, "numpy.bitwise_or ???", _Bool, p(0) | p(1), false)                                    \
  ONE(logical_and, "numpy.logical_and ???", _Bool, p(0) & p(1), false)                                  \
  ONE(logical_or, "numpy.logical_or ???", _Bool, p(0) | p(1), false)                                    \
  ONE(not_equal_truths, "numpy.not_equal ???", _Bool, p(0) != p(1), false)                              \
  ONE(invert, "numpy.invert ??", _Bool, !p(0), false)                                                   \
  ONE(add_complex, "numpy.add DDD", hw_complex, ((hw_complex){z(0).re + z(1).re, z(0).im + z(1).im}), false) \
  ONE(subtract_complex, "numpy.subtract DDD", hw_complex,                                               \
      ((hw_complex){z(0).re - z(1).re, z(0).im - z(1).im}), false)                                      \
  ONE(negative_complex, "numpy.negative DD", hw_complex, ((hw_complex){-z(0).re, -z(0).im}), false)     \
  ONE(select, "select d", double, p(0) ? x(1) : x(2), false)                                            \
  ONE(select_complex, "select D", hw_complex, p(0) ? z(1) : z(2), false)                                \
  ONE(select_truth, "select ?", uint8_t, p(0) ? b(1) : b(2), false)                                     \
  ONE(cast_truth, "cast ?d", double, p(0), false)                                                       \
  ONE(cast_integer, "cast ld", double, (double)n(0), false)                                             \
  ONE(cast_complex, "cast dD", hw_complex, ((hw_complex){x(0), 0}), false)                              \
  ONE(complex, "complex d", hw_complex, ((hw_complex){x(0), x(1)}), false)                              \
  ONE(real, "real D", double, z(0).re, false)                                                           \
  ONE(imag, "imag D", double, z(0).im, false)

#define ONE(id, name, type, value, unless) hw_single_##id,
enum { HW_NOT_SINGLE, HW_SINGLES(ONE) HW_SINGLES_END };
#undef ONE

/* A number for the loop of this name, such as "numpy.add ddd", if it is one of these; else 0. */
__attribute__((visibility("default"))) int32_t hw_single(const char *name);

#endif
