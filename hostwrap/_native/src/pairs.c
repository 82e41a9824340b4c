/* Sums over all pairs of points of two sets, of differences: without an array of all of these. (With products of
 * matrices, `a sum(c) - c b`, points that are close to each other would lose digits.) */
#include "pairs.h"

#include <stddef.h>

#define UNROLLED _Pragma("GCC unroll 8")
enum { BLOCK = 8, ROWS = 256 };

/* Two at a time: the processor divides two numbers in the time of one. */
typedef double hw_two __attribute__((vector_size(16), aligned(8)));
typedef int64_t hw_two_masks __attribute__((vector_size(16), aligned(8)));

static void divide(int64_t count, const double *x, const double *y, double *quotients) {
  int64_t j = 0;
  for (; j + 2 <= count; j += 2) {
    hw_two above = *(const hw_two *)(x + j), below = *(const hw_two *)(y + j);
    hw_two_masks there = (hw_two_masks)(below != 0);
    *(hw_two *)(quotients + j) = (hw_two)((hw_two_masks)(above / below) & there);
  }
  for (; j < count; j++) quotients[j] = y[j] == 0 ? 0 : x[j] / y[j];
}

/* Some coordinates of all points: d of them, a number that the compiler knows, so that sums stay in registers. Of ROWS
 * points of b at a time, which stay in the cache. */
static inline __attribute__((always_inline)) void some(
    int64_t n, int64_t m, int64_t stride, int d, const double *restrict a, const double *restrict b,
    const double *restrict c, const double *restrict distances, double *restrict to_a, double *restrict to_b) {
  for (int64_t start = 0; start < m; start += ROWS) {
    int64_t count = start + ROWS < m ? ROWS : m - start;
    const double *restrict at_b = b + start * stride;
    double *restrict back = to_b ? to_b + start * stride : to_b;
    for (int64_t i = 0; i < n; i++) {
      double at[BLOCK], sum[BLOCK] = {0}, quotients[ROWS];
      const double *row = c + i * m + start;
      if (distances) {
        divide(count, row, distances + i * m + start, quotients);
        row = quotients;
      }
      UNROLLED for (int k = 0; k < d; k++) at[k] = a[i * stride + k];
      for (int64_t j = 0; j < count; j++)
        UNROLLED for (int k = 0; k < d; k++) {
          double term = row[j] * (at[k] - at_b[j * stride + k]);
          sum[k] += term;
          if (back) back[j * stride + k] -= term;
        }
      if (to_a)
        UNROLLED for (int k = 0; k < d; k++) to_a[i * stride + k] += sum[k];
    }
  }
}

void hw_pairs_back(
    int64_t n, int64_t m, int64_t d, const double *a, const double *b, const double *c, const double *distances,
    double *to_a, double *to_b) {
  for (int64_t k = 0; k < d; k += BLOCK) {
    double *left = to_a ? to_a + k : to_a, *right = to_b ? to_b + k : to_b;
    switch (d - k < BLOCK ? d - k : BLOCK) {
      case 1: some(n, m, d, 1, a + k, b + k, c, distances, left, right); break;
      case 2: some(n, m, d, 2, a + k, b + k, c, distances, left, right); break;
      case 3: some(n, m, d, 3, a + k, b + k, c, distances, left, right); break;
      case 4: some(n, m, d, 4, a + k, b + k, c, distances, left, right); break;
      case 5: some(n, m, d, 5, a + k, b + k, c, distances, left, right); break;
      case 6: some(n, m, d, 6, a + k, b + k, c, distances, left, right); break;
      case 7: some(n, m, d, 7, a + k, b + k, c, distances, left, right); break;
      default: some(n, m, d, 8, a + k, b + k, c, distances, left, right);
    }
  }
}
