#include "share.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "fpenv.h"
#include "python.h"

/* For each thread: numbers next to one another may cost more than others, and a thread may have to wait for its core. */
enum { CHUNKS = 16 };

/* Nobody waits for a task that has not started: the caller works through the chunks itself, together with the tasks
 * that the pool has come to; one that starts late finds nothing left. So a busy pool costs speed and never hangs. */
typedef struct {
  hw_plan plan;
  int64_t chunk, chunks;
  atomic_long next;    /* the first chunk that nobody has taken */
  atomic_int inside;   /* tasks that may be working on one */
  atomic_int owners;   /* caller and tasks; the last one frees the job */
  atomic_bool failed;
  pthread_mutex_t lock;
  pthread_cond_t idle;
  char message[200]; /* what a task raised */
} hw_job;

static bool run(const hw_plan *plan, int64_t first, int64_t last) {
  bool may_raise = plan->program->may_raise;
  hw_python before = {0};
  if (may_raise) before = hw_python_enter();
  bool done = hw_run(plan, first, last);
  if (may_raise) hw_python_leave(before);
  return done;
}

static void work(hw_job *job) {
  hw_fpenv before = hw_fpenv_enter();
  for (;;) {
    int64_t c = atomic_fetch_add(&job->next, 1);
    if (c >= job->chunks) break;
    int64_t first = c * job->chunk, last = first + job->chunk;
    if (!run(&job->plan, first, last < job->plan.total ? last : job->plan.total)) atomic_store(&job->failed, true);
  }
  hw_fpenv_leave(before);
}

static void disown(hw_job *job) {
  if (atomic_fetch_sub(&job->owners, 1) > 1) return;
  pthread_mutex_destroy(&job->lock);
  pthread_cond_destroy(&job->idle);
  free(job);
}

static void task(void *argument) {
  hw_job *job = argument;
  atomic_fetch_add(&job->inside, 1); /* before a chunk is taken: the caller may not leave meanwhile */
  work(job);
  char message[sizeof job->message];
  bool raised = hw_python_error(message, sizeof message);
  pthread_mutex_lock(&job->lock);
  if (raised) memcpy(job->message, message, sizeof message);
  if (atomic_fetch_sub(&job->inside, 1) == 1) pthread_cond_broadcast(&job->idle);
  pthread_mutex_unlock(&job->lock);
  disown(job);
}

static void forget(const XLA_FFI_Api *api, XLA_FFI_Error *error) {
  XLA_FFI_Error_Destroy_Args args = {XLA_FFI_Error_Destroy_Args_STRUCT_SIZE, NULL, error};
  api->XLA_FFI_Error_Destroy(&args);
}

static int64_t pool_size(const XLA_FFI_CallFrame *frame) {
  int64_t size = 0;
  XLA_FFI_ThreadPool_NumThreads_Args args;
  memset(&args, 0, sizeof args);
  args.struct_size = XLA_FFI_ThreadPool_NumThreads_Args_STRUCT_SIZE;
  args.ctx = frame->ctx;
  args.num_threads = &size;
  XLA_FFI_Error *error = frame->api->XLA_FFI_ThreadPool_NumThreads(&args);
  if (error) forget(frame->api, error);
  return error ? 0 : size;
}

static int schedule(const XLA_FFI_CallFrame *frame, hw_job *job) {
  XLA_FFI_ThreadPool_Schedule_Args args;
  memset(&args, 0, sizeof args);
  args.struct_size = XLA_FFI_ThreadPool_Schedule_Args_STRUCT_SIZE;
  args.ctx = frame->ctx;
  args.task = task;
  args.data = job;
  XLA_FFI_Error *error = frame->api->XLA_FFI_ThreadPool_Schedule(&args);
  if (error) forget(frame->api, error);
  return error == NULL;
}

static hw_job *new_job(const hw_plan *plan, int64_t threads, int64_t grain) {
  hw_job *job = malloc(sizeof *job);
  if (!job) return NULL;
  job->plan = *plan;
  job->chunks = plan->total / grain;
  if (job->chunks > threads * CHUNKS) job->chunks = threads * CHUNKS;
  job->chunk = (plan->total + job->chunks - 1) / job->chunks;
  job->message[0] = 0;
  atomic_init(&job->next, 0);
  atomic_init(&job->inside, 0);
  atomic_init(&job->owners, 1);
  atomic_init(&job->failed, false);
  pthread_mutex_init(&job->lock, NULL);
  pthread_cond_init(&job->idle, NULL);
  return job;
}

bool hw_alone(const hw_plan *plan) {
  hw_fpenv before = hw_fpenv_enter();
  bool done = run(plan, 0, plan->total);
  hw_fpenv_leave(before);
  return done;
}

static _Atomic(int64_t) usual_threads = 1;

void hw_set_threads(int64_t threads) { atomic_store(&usual_threads, threads); }

bool hw_share(const XLA_FFI_CallFrame *frame, const hw_plan *plan, int64_t threads) {
  int64_t grain = atomic_load_explicit(&plan->program->grain, memory_order_relaxed);
  int64_t useful = grain > 0 ? plan->total / grain : 1;
  if (threads == 0) threads = atomic_load(&usual_threads);
  if (useful < threads) threads = useful;
  if (threads > 1) {
    int64_t others = pool_size(frame);
    if (others + 1 < threads) threads = others + 1;
  }
  hw_job *job = threads > 1 ? new_job(plan, threads, grain) : NULL;
  if (!job) return hw_alone(plan);
  for (int64_t t = 1; t < threads; t++) {
    atomic_fetch_add(&job->owners, 1);
    if (!schedule(frame, job)) {
      disown(job);
      break;
    }
  }
  work(job);
  pthread_mutex_lock(&job->lock);
  while (atomic_load(&job->inside)) pthread_cond_wait(&job->idle, &job->lock);
  pthread_mutex_unlock(&job->lock);
  bool done = !atomic_load(&job->failed);
  if (job->message[0]) hw_python_hand_over(job->message);
  disown(job);
  return done;
}
