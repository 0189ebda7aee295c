/* The calls as C sees them: each is there by its plain name and by those of its releases, and all
 * go to the Go function go<NAME> of main.go. Go starts at the first call, not when the library is loaded: it takes
 * threads and address space, and ends the process where it does not get them. Where they are not to be had, and in a child
 * that was forked after Go has started, whose threads are missing there, Go is not entered, and calls fail with a reason. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "nvJitLink.h"
#include "_cgo_export.h"

static const char after_fork[] =
    "fatal   : this process was forked after libnvJitLink was used; execute a program to link in it\n";
static const char no_space[] = "fatal   : this process may not have the address space that libnvJitLink needs (ulimit -v)\n";
static const char no_threads[] = "fatal   : this process may not have the threads that libnvJitLink needs (ulimit -u)\n";

/* Why Go is not entered; NULL: it is. */
static const char *volatile why;

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

static void mark_fork(void) { why = after_fork; }

static void start(void) {
  if (!has_space()) {
    why = no_space;
  } else if (!has_threads()) {
    why = no_threads;
  } else {
    pthread_atfork(NULL, NULL, mark_fork);
    if (__start_go_start) __start_go_start[0](start_argc, start_argv, start_envp);
  }
}

__attribute__((constructor)) static void keep_arguments(int argc, char **argv, char **envp) {
  start_argc = argc;
  start_argv = argv;
  start_envp = envp;
}

/* Reports whether Go can be entered; it is started by then. */
static int enters(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
  return why == NULL;
}

/* Where Go is not entered the error log is the same for every handle, and Create makes one. */
static nvJitLinkResult outside_Create(nvJitLinkHandle *handle, uint32_t count, const char **options) {
  if (handle) *handle = (nvJitLinkHandle)why;
  return NVJITLINK_ERROR_INTERNAL;
}
static nvJitLinkResult outside_Destroy(nvJitLinkHandle *handle) {
  if (!handle || !*handle) return (nvJitLinkResult)NULL_RESULT;
  *handle = NULL;
  return NVJITLINK_SUCCESS;
}
static nvJitLinkResult outside_GetErrorLogSize(nvJitLinkHandle handle, size_t *size) {
  if (!handle || !size) return (nvJitLinkResult)NULL_RESULT;
  *size = strlen(why) + 1;
  return NVJITLINK_SUCCESS;
}
static nvJitLinkResult outside_GetErrorLog(nvJitLinkHandle handle, char *log) {
  if (!handle || !log) return (nvJitLinkResult)NULL_RESULT;
  strcpy(log, why);
  return NVJITLINK_SUCCESS;
}
static nvJitLinkResult outside_GetInfoLogSize(nvJitLinkHandle handle, size_t *size) {
  if (!handle || !size) return (nvJitLinkResult)NULL_RESULT;
  *size = 0;
  return NVJITLINK_SUCCESS;
}
static nvJitLinkResult outside_GetInfoLog(nvJitLinkHandle handle, char *log) {
  if (!handle || !log) return (nvJitLinkResult)NULL_RESULT;
  *log = 0;
  return NVJITLINK_SUCCESS;
}
#define outside_AddData(...) NVJITLINK_ERROR_INTERNAL
#define outside_AddFile(...) NVJITLINK_ERROR_INTERNAL
#define outside_Complete(...) NVJITLINK_ERROR_INTERNAL
#define outside_GetLinkedCubinSize(...) NVJITLINK_ERROR_INTERNAL
#define outside_GetLinkedCubin(...) NVJITLINK_ERROR_INTERNAL
#define outside_GetLinkedPtxSize(...) NVJITLINK_ERROR_INTERNAL
#define outside_GetLinkedPtx(...) NVJITLINK_ERROR_INTERNAL
#define outside_GetLinkedLTOIRSize(...) NVJITLINK_ERROR_INTERNAL
#define outside_GetLinkedLTOIR(...) NVJITLINK_ERROR_INTERNAL

#define DEFINE_VERSIONED(RELEASE, NAME, PARAMETERS, ARGUMENTS) \
  nvJitLinkResult __nvJitLink##NAME##_##RELEASE PARAMETERS { return nvJitLink##NAME ARGUMENTS; }
#define DEFINE(NAME, PARAMETERS, ARGUMENTS)                                                          \
  nvJitLinkResult nvJitLink##NAME PARAMETERS { return enters() ? go##NAME ARGUMENTS : outside_##NAME ARGUMENTS; } \
  NVJITLINK_RELEASES(DEFINE_VERSIONED, NAME, PARAMETERS, ARGUMENTS)
NVJITLINK_CALLS(DEFINE)

/* The release that the library behaves as, kept here for where Go is not entered. */
static unsigned int release[2] = {NVJITLINK_MAJOR, NVJITLINK_MINOR};

void setRelease(unsigned int major, unsigned int minor) {
  release[0] = major;
  release[1] = minor;
}

nvJitLinkResult nvJitLinkVersion(unsigned int *major, unsigned int *minor) {
  if (!major || !minor) return (nvJitLinkResult)NULL_RESULT;
  if (enters()) goReady();
  *major = release[0];
  *minor = release[1];
  return NVJITLINK_SUCCESS;
}

/* Tells this library from NVIDIA's, which may stand under the same name: its value is the version
 * of this interface. */
const int culinkNvJitLink = 1;

/* The file that this library was loaded from, or a name without a file. */
const char *ownFile(void) {
  Dl_info info;
  return dladdr(&culinkNvJitLink, &info) && info.dli_fname ? info.dli_fname : "libnvJitLink";
}
