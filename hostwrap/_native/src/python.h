/* A loop may leave a Python exception behind, such as SciPy's under `scipy.special.errstate(all="raise")`. */
#ifndef HOSTWRAP_PYTHON_H
#define HOSTWRAP_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the exception that is pending in this thread, if there is one, and says what it is. */
bool hw_python_error(char *message, size_t size);

#endif
