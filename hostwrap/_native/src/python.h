/* All that the library has to do with Python: exceptions that a loop leaves behind, such as SciPy's under
 * `scipy.special.errstate(all="raise")`, and calls of Python functions. */
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

/* A program that this process does not know: its key and text, and room for why it is refused. */
typedef struct {
  uint64_t key;
  const char *text;
  size_t text_size;
  char *message;
  size_t message_size;
} hw_learn_call;

/* Functions of Python. `host` is called with key, numbers and data of a call, as bytes, in the default floating-point
 * environment; the others with the address of one of the two. `host` and `learn` do what is asked, or raise; `failed`
 * and `refused` get what was raised too, and return whether all is well nevertheless, or else write the message. Only a
 * function that has returned counts: one that was interrupted anywhere has failed. NULL once Python is about to end. */
__attribute__((visibility("default"))) void hw_set_python(void *host, void *failed, void *learn, void *refused);

bool hw_python_call(const hw_host_call *call);   /* whether all results are there; else there is a message */
bool hw_python_learn(const hw_learn_call *call); /* whether the program is registered; else there is a message */
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
