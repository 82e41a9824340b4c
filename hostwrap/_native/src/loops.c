#include "loops.h"

#include <string.h>

#define LOOP(name, ...)                                                                               \
  static void name(char **args, const intptr_t *count, const intptr_t *steps, void *data) {           \
    (void)data;                                                                                       \
    for (intptr_t i = 0; i < *count; i++) __VA_ARGS__                                                 \
  }
#define AT(k) (args[k] + i * steps[k])
#define GET(type, k) (*(const type *)AT(k))
#define PUT(type, k) (*(type *)AT(k))

/* np.where: by size, since no number is looked at. */
typedef _Bool truth; /* as a result; read as a byte, which in a program from a file may be any */
typedef struct { double parts[2]; } wide;
enum { TOGETHER = 8 };
#define SELECT(type)                                                                                  \
  LOOP(chosen_##type, { PUT(type, 3) = GET(uint8_t, 0) ? GET(type, 1) : GET(type, 2); })              \
  LOOP(moved_##type, { PUT(type, 1) = GET(type, 0); })                                                \
  static void filled_##type(type *to, type number, intptr_t count) {                                  \
    type many[TOGETHER];                                                                              \
    for (int k = 0; k < TOGETHER; k++) many[k] = number;                                              \
    for (; count >= TOGETHER; count -= TOGETHER, to += TOGETHER) memcpy(to, many, sizeof many);       \
    memcpy(to, many, (size_t)count * sizeof number);                                                  \
  }                                                                                                   \
  /* Where the truth is the same for all elements, one of both in full. */                            \
  static void select_##type(char **args, const intptr_t *count, const intptr_t *steps, void *data) {  \
    char *both[] = {args[0], args[3]};                                                                \
    intptr_t strides[] = {0, steps[3]}, size = sizeof(type);                                          \
    if (steps[0] || *count < TOGETHER) {                                                              \
      chosen_##type(args, count, steps, data);                                                        \
      return;                                                                                         \
    }                                                                                                 \
    int k = *(const uint8_t *)args[0] ? 1 : 2;                                                        \
    both[0] = args[k], strides[0] = steps[k];                                                         \
    if (strides[1] == size && !strides[0]) filled_##type((type *)both[1], *(type *)both[0], *count);  \
    else if (strides[1] == size && strides[0] == size) memmove(both[1], both[0], (size_t)(*count * size)); \
    else moved_##type(both, count, strides, data);                                                    \
  }
SELECT(int8_t) SELECT(int16_t) SELECT(int32_t) SELECT(int64_t) SELECT(wide)

/* A complex number is two reals: `part` of it, and both of them. */
#define PARTS(real)                                                                                   \
  LOOP(real_##real, { PUT(real, 1) = ((const real *)AT(0))[0]; })                                     \
  LOOP(imag_##real, { PUT(real, 1) = ((const real *)AT(0))[1]; })                                     \
  LOOP(complex_##real, { real re = GET(real, 0), im = GET(real, 1); PUT(real, 2) = re; ((real *)AT(2))[1] = im; })
PARTS(float) PARTS(double)

/* astype, as C and NumPy convert. What an integer cannot hold has been dealt with before. */
#define CAST(from, to) LOOP(cast_##from##_##to, { PUT(to, 1) = (to)GET(from, 0); })
#define CAST_COMPLEX(from, real)                                                                      \
  LOOP(cast_##from##_c##real, { real re = (real)GET(from, 0); PUT(real, 1) = re; ((real *)AT(1))[1] = 0; })
#define CASTS(from)                                                                                   \
  CAST(from, int8_t) CAST(from, int16_t) CAST(from, int32_t) CAST(from, int64_t)                      \
  CAST(from, uint8_t) CAST(from, uint16_t) CAST(from, uint32_t) CAST(from, uint64_t)                  \
  CAST(from, float) CAST(from, double) CAST(from, truth)                                              \
  CAST_COMPLEX(from, float) CAST_COMPLEX(from, double)
CASTS(int8_t) CASTS(int16_t) CASTS(int32_t) CASTS(int64_t)
CASTS(uint8_t) CASTS(uint16_t) CASTS(uint32_t) CASTS(uint64_t)
CASTS(float) CASTS(double)
#undef GET
#define GET(type, k) (*(const uint8_t *)AT(k) != 0)
CASTS(truth)
#undef GET
#define GET(type, k) (*(const type *)AT(k))
#define CAST_PARTS(from, to)                                                                          \
  LOOP(cast_c##from##_c##to, {                                                                        \
    from re = ((const from *)AT(0))[0], im = ((const from *)AT(0))[1];                                \
    ((to *)AT(1))[0] = (to)re;                                                                        \
    ((to *)AT(1))[1] = (to)im;                                                                        \
  })
CAST_PARTS(float, double) CAST_PARTS(double, float) CAST_PARTS(float, float) CAST_PARTS(double, double)

typedef struct { const char *name; hw_function function; } entry;

#define CAST_ROW(c, from)                                                                             \
  {"cast " c "b", cast_##from##_int8_t}, {"cast " c "h", cast_##from##_int16_t},                      \
  {"cast " c "i", cast_##from##_int32_t}, {"cast " c "l", cast_##from##_int64_t},                     \
  {"cast " c "B", cast_##from##_uint8_t}, {"cast " c "H", cast_##from##_uint16_t},                    \
  {"cast " c "I", cast_##from##_uint32_t}, {"cast " c "L", cast_##from##_uint64_t},                   \
  {"cast " c "f", cast_##from##_float}, {"cast " c "d", cast_##from##_double},                        \
  {"cast " c "?", cast_##from##_truth}, {"cast " c "F", cast_##from##_cfloat},                        \
  {"cast " c "D", cast_##from##_cdouble}
#define SELECT_ROW(c, type) {"select " c, select_##type}

static const entry entries[] = {
  SELECT_ROW("?", int8_t), SELECT_ROW("b", int8_t), SELECT_ROW("B", int8_t), SELECT_ROW("h", int16_t),
  SELECT_ROW("H", int16_t), SELECT_ROW("i", int32_t), SELECT_ROW("I", int32_t), SELECT_ROW("f", int32_t),
  SELECT_ROW("l", int64_t), SELECT_ROW("L", int64_t), SELECT_ROW("d", int64_t), SELECT_ROW("F", int64_t),
  SELECT_ROW("D", wide),
  {"real F", real_float}, {"real D", real_double}, {"imag F", imag_float}, {"imag D", imag_double},
  {"complex f", complex_float}, {"complex d", complex_double},
  CAST_ROW("b", int8_t), CAST_ROW("h", int16_t), CAST_ROW("i", int32_t), CAST_ROW("l", int64_t),
  CAST_ROW("B", uint8_t), CAST_ROW("H", uint16_t), CAST_ROW("I", uint32_t), CAST_ROW("L", uint64_t),
  CAST_ROW("f", float), CAST_ROW("d", double), CAST_ROW("?", truth),
  {"cast FD", cast_cfloat_cdouble}, {"cast DF", cast_cdouble_cfloat},
  {"cast FF", cast_cfloat_cfloat}, {"cast DD", cast_cdouble_cdouble},
};

hw_function hw_loop(const char *name) {
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
    if (!strcmp(entries[i].name, name)) return entries[i].function;
  return NULL;
}
