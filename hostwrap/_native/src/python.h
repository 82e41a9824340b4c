/* A loop may leave a Python exception behind, such as SciPy's under `scipy.special.errstate(all="raise")`. */
#ifndef HOSTWRAP_PYTHON_H
#define HOSTWRAP_PYTHON_H

#include <stdbool.h>
#include <stddef.h>

/* Takes the exception that is pending in this thread, if there is one, and says what it is. */
bool hw_python_error(char *message, size_t size);

/* The error of another thread, which `hw_python_error` then finds in this one. */
void hw_python_hand_over(const char *message);

/* A loop that may raise runs between the two: an exception would otherwise end with the thread state that the loop
 * makes for it in a thread unknown to Python, and what it left in the results is anything. The GIL is not held. */
typedef struct {
  void *thread;
  int state;
} hw_python;
hw_python hw_python_enter(void);
void hw_python_leave(hw_python before);

#endif
