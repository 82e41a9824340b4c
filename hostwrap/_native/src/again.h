/* Arithmetic that a tape recorded, at other numbers. */
#ifndef HOSTWRAP_AGAIN_H
#define HOSTWRAP_AGAIN_H
#include <stdint.h>

enum { HW_X = 1, HW_Y = 2 };

typedef struct {
  int32_t kind, x, y; /* which operation, and the places of its operands; its result lies at `first` + its own number */
  int32_t more;       /* HW_X, HW_Y: which of them moves. Of a test: its outcome */
} hw_row;

/* The kind of this name, such as "add"; -1: there is none. */
__attribute__((visibility("default"))) int32_t hw_again_number(const char *name);

/* Before `first` are arguments and constants. False: a test has another outcome. */
__attribute__((visibility("default"))) int32_t hw_again_values(
    const hw_row *rows, int64_t count, int64_t first, double *values);

/* The tangents of all values, of which those before `first` are given. */
__attribute__((visibility("default"))) void hw_again_along(
    const hw_row *rows, int64_t count, int64_t first, const double *values, double *tangents);

/* Adds to the cotangents, of which those of results are given. */
__attribute__((visibility("default"))) void hw_again_back(
    const hw_row *rows, int64_t count, int64_t first, const double *values, double *cotangents);

#endif
