#include "single.h"

#include <string.h>

int32_t hw_single(const char *name) {
#define ONE(id, name, type, value, unless) name,
  static const char *const names[] = {HW_SINGLES(ONE)};
#undef ONE
  for (int32_t i = 0; i < (int32_t)(sizeof names / sizeof *names); i++)
    if (!strcmp(names[i], name)) return i + 1;
  return HW_NOT_SINGLE;
}
