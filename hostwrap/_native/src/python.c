#include "python.h"
#include "fpenv.h"

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
extern void PyException_SetTraceback(void *, void *) WEAK;
extern void *PyObject_CallFunction(void *, const char *, ...) WEAK;
extern void *PyBytes_FromStringAndSize(const char *, intptr_t) WEAK;
extern int PyObject_IsTrue(void *) WEAK;
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

/* What Python is asked to do, and what is asked when that raises: Python objects, which Python holds. */
typedef struct {
  _Atomic(void *) function, failed;
} hw_question;

static hw_question host_question, learn_question;

void hw_set_python(void *host, void *failed, void *learn, void *refused) {
  atomic_store(&host_question.function, host);
  atomic_store(&host_question.failed, failed);
  atomic_store(&learn_question.function, learn);
  atomic_store(&learn_question.failed, refused);
}

/* Takes the exception that is pending, as an object. */
static void *taken(void) {
  void *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  PyErr_NormalizeException(&type, &value, &traceback);
  if (value && traceback) PyException_SetTraceback(value, traceback);
  Py_DecRef(type);
  Py_DecRef(traceback);
  return value;
}

/* A signal may raise wherever a function begins, in `failed` too, which then gets the new exception: often enough for
 * any number of signals that come by themselves. */
enum { TRIES = 8 };

/* A thread of XLA's gets a state of Python's, and keeps it: to make one for each call, and to take it away again, is
 * more work than a small call. XLA's threads are few, and end with the process. */
static void settle(void) {
  if (PyGILState_GetThisThreadState()) return;
  PyGILState_Ensure();
  PyEval_SaveThread();
}

static bool ask(hw_question *question, void *(*asked)(void *function, const void *call), const void *call, char *message,
                size_t message_size) {
  snprintf(message, message_size, "a host function was called while Python was ending");
  if (!atomic_load(&question->function)) return false;
  settle();
  int state = PyGILState_Ensure();
  void *function = atomic_load(&question->function), *failed = atomic_load(&question->failed);
  unsigned long long address = (uintptr_t)call;
  void *result = NULL;
  bool done = false;
  if (function) {
    result = asked(function, call);
    done = result != NULL;
    snprintf(message, message_size, "it was interrupted, again and again");
    for (int i = 0; i < TRIES && !result; i++) {
      void *error = taken();
      result = PyObject_CallFunction(failed, "KO", address, error);
      done = result && PyObject_IsTrue(result) == 1;
      Py_DecRef(error);
    }
    if (!result) PyErr_Clear();
  }
  Py_DecRef(result);
  PyGILState_Release(state);
  return done;
}

static void *bytes(const void *data, size_t size) { return PyBytes_FromStringAndSize(data, (intptr_t)size); }

/* What is wanted in each call comes as Python's own, without a look at the memory of the call. */
static void *asked_to_call(void *function, const void *given) {
  const hw_host_call *call = given;
  void *key = bytes(call->key, call->key_size), *numbers = bytes(call->numbers, call->count * sizeof *call->numbers);
  return PyObject_CallFunction(function, "NNN", key, numbers, bytes(call->data, call->buffers * sizeof *call->data));
}

static void *asked_to_learn(void *function, const void *call) {
  return PyObject_CallFunction(function, "K", (unsigned long long)(uintptr_t)call);
}

bool hw_python_call(const hw_host_call *call) {
  hw_fpenv before = hw_fpenv_enter();
  bool done = ask(&host_question, asked_to_call, call, call->message, call->message_size);
  hw_fpenv_leave(before);
  return done;
}

bool hw_python_learn(const hw_learn_call *call) {
  return ask(&learn_question, asked_to_learn, call, call->message, call->message_size);
}
