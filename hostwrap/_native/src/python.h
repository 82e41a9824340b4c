/* A loop may leave a Python exception behind, such as SciPy's under `scipy.special.errstate(all="raise")`. */
#ifndef HOSTWRAP_PYTHON_H
#define HOSTWRAP_PYTHON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes the exception that is pending in this thread, if there is one, and says what it is. */
bool hw_python_error(char *message, size_t size);

/* A call of a Python function: its key, the buffers (see host.c), and room for what went wrong. */
typedef struct {
  const char *key;
  size_t key_size;
  const int64_t *numbers;
  size_t count;
  void *const *data;
  size_t buffers;
  char *message;
  size_t message_size;
} hw_host_call;

/* Functions of Python, which take the GIL themselves: NULL, once Python is about to end. */
typedef int (*hw_host_function)(const hw_host_call *call);                         /* 0: all results are there */
typedef int (*hw_learn_function)(uint64_t key, const char *text, size_t size); /* 0: the program is registered */
__attribute__((visibility("default"))) void hw_set_python(hw_host_function host, hw_learn_function learn);

bool hw_python_call(const hw_host_call *call);
bool hw_python_learn(uint64_t key, const char *text, size_t size);
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
