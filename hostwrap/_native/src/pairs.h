/* Sums over all pairs of points of two sets. */
#ifndef HOSTWRAP_PAIRS_H
#define HOSTWRAP_PAIRS_H
#include <stdint.h>

/* Of points a [n, d] and b [m, d]: `to_a[i] = sum over j of c[i, j] (a[i] - b[j])`, and `to_b[j] = sum over i of
 * c[i, j] (b[j] - a[i])`. One of the two may be NULL. With `distances` (else NULL) c is divided by them, and 0 where
 * they are 0. */
__attribute__((visibility("default"))) void hw_pairs_back(
    int64_t n, int64_t m, int64_t d, const double *a, const double *b, const double *c, const double *distances,
    double *to_a, double *to_b);

#endif
