/* Go starts at the first call, not when the library is loaded: it takes threads and address space, and ends the process
 * where it does not get them. Where they are not to be had, and in a child that was forked after Go has started, whose
 * threads are missing there, Go is not entered, and calls fail with a reason. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "start.h"

static const char after_fork[] =
    "fatal   : this process was forked after libnvJitLink was used; execute a program to link in it\n";
static const char no_space[] = "fatal   : this process may not have the address space that libnvJitLink needs (ulimit -v)\n";
static const char no_threads[] = "fatal   : this process may not have the threads that libnvJitLink needs (ulimit -u)\n";

const char *volatile why;

/* What Go's start takes, with room for the memory of links. */
enum { START_SPACE_MIB = 1536, START_THREADS = 8 };

static int has_space(void) {
  size_t size = (size_t)START_SPACE_MIB << 20;
  void *space = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return space != MAP_FAILED && munmap(space, size) == 0;
}

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *wait_for_all(void *unused) {
  pthread_mutex_lock(&held);
  pthread_mutex_unlock(&held);
  return unused;
}

static int has_threads(void) {
  pthread_t threads[START_THREADS];
  int started = 0;
  pthread_mutex_lock(&held);
  while (started < START_THREADS && pthread_create(&threads[started], NULL, wait_for_all, NULL) == 0) started++;
  pthread_mutex_unlock(&held);
  for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
  return started == START_THREADS;
}

/* Go's start, which link.sh has moved here: it takes what a constructor takes. It is missing in a test, a Go program. */
typedef void constructor(int, char **, char **);
extern constructor *__start_go_start[] __attribute__((weak));
static int start_argc;
static char **start_argv, **start_envp;

/* The number of words before the first null word. */
static size_t length(char **words) {
  size_t n = 0;
  while (words[n]) n++;
  return n;
}

/* Go reads the environment behind the arguments, where the system has put it when the process began, and the auxiliary
 * vector behind that. Programs change their environment before the first call, so that Go gets an array with the present
 * one. It is never freed: Go reads it on another thread. NULL if there is no memory for it. */
static char **present_arguments(void) {
  size_t arguments = start_argc + 1, variables = environ ? length(environ) : 0;
  char **vector = start_argv + arguments;
  vector += length(vector) + 1;
  size_t pairs = 0;
  while (vector[2 * pairs]) pairs++;
  char **all = malloc((arguments + variables + 1 + 2 * (pairs + 1)) * sizeof *all), **next = all;
  if (!all) return NULL;
  next = (char **)memcpy(next, start_argv, arguments * sizeof *all) + arguments;
  if (variables) memcpy(next, environ, variables * sizeof *all);
  next[variables] = NULL;
  memcpy(next + variables + 1, vector, 2 * (pairs + 1) * sizeof *all);
  return all;
}

static void mark_fork(void) { why = after_fork; }

static void start(void) {
  if (!has_space()) {
    why = no_space;
  } else if (!has_threads()) {
    why = no_threads;
  } else {
    pthread_atfork(NULL, NULL, mark_fork);
    char **arguments = present_arguments();
    if (__start_go_start) __start_go_start[0](start_argc, arguments ? arguments : start_argv, start_envp);
  }
}

__attribute__((constructor)) static void keep_arguments(int argc, char **argv, char **envp) {
  start_argc = argc;
  start_argv = argv;
  start_envp = envp;
}

int enters(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
  return why == NULL;
}

const char *ownFile(void) {
  Dl_info info;
  return dladdr(&culinkNvJitLink, &info) && info.dli_fname ? info.dli_fname : "libnvJitLink";
}
