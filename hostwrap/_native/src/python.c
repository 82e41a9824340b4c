#include "python.h"

#include <stdatomic.h>
#include <stdio.h>

/* Of CPython's stable interface; found in the process that loads the library, which needs no Python to be built. */
#define WEAK __attribute__((weak))
extern void *PyGILState_GetThisThreadState(void) WEAK;
extern int PyGILState_Ensure(void) WEAK;
extern void PyGILState_Release(int) WEAK;
extern void *PyEval_SaveThread(void) WEAK;
extern void PyEval_RestoreThread(void *) WEAK;
extern void *PyErr_Occurred(void) WEAK;
extern void PyErr_Fetch(void **, void **, void **) WEAK;
extern void PyErr_NormalizeException(void **, void **, void **) WEAK;
extern void PyErr_Clear(void) WEAK;
extern void *PyObject_Str(void *) WEAK;
extern const char *PyUnicode_AsUTF8AndSize(void *, intptr_t *) WEAK;
extern void Py_DecRef(void *) WEAK;

static _Thread_local char raised[200]; /* by this thread, or handed over to it */

static void take(char *message, size_t size) {
  void *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  void *text = value ? PyObject_Str(value) : NULL;
  const char *bytes = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
  snprintf(message, size, "%s", bytes ? bytes : "an exception without a text");
  PyErr_Clear();
  Py_DecRef(text);
  Py_DecRef(type);
  Py_DecRef(value);
  Py_DecRef(traceback);
}

hw_python hw_python_enter(void) {
  hw_python before = {NULL, PyGILState_Ensure()};
  before.thread = PyEval_SaveThread();
  return before;
}

void hw_python_leave(hw_python before) {
  PyEval_RestoreThread(before.thread);
  if (PyErr_Occurred()) take(raised, sizeof raised);
  PyGILState_Release(before.state);
}

void hw_python_hand_over(const char *message) { snprintf(raised, sizeof raised, "%s", message); }

bool hw_python_error(char *message, size_t size) {
  if (raised[0]) {
    snprintf(message, size, "%s", raised);
    raised[0] = 0;
    return true;
  }
  /* a thread that Python does not know keeps no exception: it ends with the state that the loop made for it */
  if (!PyGILState_GetThisThreadState || !PyGILState_GetThisThreadState()) return false;
  int state = PyGILState_Ensure();
  bool pending = PyErr_Occurred() != NULL;
  if (pending) take(message, size);
  PyGILState_Release(state);
  return pending;
}

static _Atomic(hw_host_function) host_function;
static _Atomic(hw_learn_function) learn_function;

void hw_set_python(hw_host_function host, hw_learn_function learn) {
  atomic_store(&host_function, host);
  atomic_store(&learn_function, learn);
}

bool hw_python_call(const hw_host_call *call) {
  hw_host_function function = atomic_load(&host_function);
  if (function) return function(call) == 0;
  snprintf(call->message, call->message_size, "a host function was called while Python was ending");
  return false;
}

bool hw_python_learn(uint64_t key, const char *text, size_t size) {
  hw_learn_function function = atomic_load(&learn_function);
  return function && function(key, text, size) == 0;
}
