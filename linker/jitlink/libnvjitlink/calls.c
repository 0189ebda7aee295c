/* The calls as C sees them: each is there by its plain name and by those of its releases, and all
 * go to the Go function go<NAME> of main.go. Go is not entered in a child that was forked from a
 * process with the library: its threads are missing there. fork_child marks such a child. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "nvJitLink.h"
#include "_cgo_export.h"

static volatile int forked;

static void fork_child(void) { forked = 1; }

__attribute__((constructor)) static void watch_forks(void) { pthread_atfork(NULL, NULL, fork_child); }

static const char why[] =
    "fatal   : this process was forked after libnvJitLink was loaded; execute a program to link in it\n";

/* In a forked child the error log is the same for every handle, and Create makes one. */
static nvJitLinkResult in_child_Create(nvJitLinkHandle *handle, uint32_t count, const char **options) {
  if (handle) *handle = (nvJitLinkHandle)why;
  return NVJITLINK_ERROR_INTERNAL;
}
static nvJitLinkResult in_child_Destroy(nvJitLinkHandle *handle) {
  if (!handle || !*handle) return NVJITLINK_ERROR_NULL_INPUT;
  *handle = NULL;
  return NVJITLINK_SUCCESS;
}
static nvJitLinkResult in_child_GetErrorLogSize(nvJitLinkHandle handle, size_t *size) {
  if (!handle || !size) return NVJITLINK_ERROR_NULL_INPUT;
  *size = sizeof why;
  return NVJITLINK_SUCCESS;
}
static nvJitLinkResult in_child_GetErrorLog(nvJitLinkHandle handle, char *log) {
  if (!handle || !log) return NVJITLINK_ERROR_NULL_INPUT;
  memcpy(log, why, sizeof why);
  return NVJITLINK_SUCCESS;
}
static nvJitLinkResult in_child_GetInfoLogSize(nvJitLinkHandle handle, size_t *size) {
  if (!handle || !size) return NVJITLINK_ERROR_NULL_INPUT;
  *size = 0;
  return NVJITLINK_SUCCESS;
}
static nvJitLinkResult in_child_GetInfoLog(nvJitLinkHandle handle, char *log) {
  if (!handle || !log) return NVJITLINK_ERROR_NULL_INPUT;
  *log = 0;
  return NVJITLINK_SUCCESS;
}
#define in_child_AddData(...) NVJITLINK_ERROR_INTERNAL
#define in_child_AddFile(...) NVJITLINK_ERROR_INTERNAL
#define in_child_Complete(...) NVJITLINK_ERROR_INTERNAL
#define in_child_GetLinkedCubinSize(...) NVJITLINK_ERROR_INTERNAL
#define in_child_GetLinkedCubin(...) NVJITLINK_ERROR_INTERNAL
#define in_child_GetLinkedPtxSize(...) NVJITLINK_ERROR_INTERNAL
#define in_child_GetLinkedPtx(...) NVJITLINK_ERROR_INTERNAL
#define in_child_GetLinkedLTOIRSize(...) NVJITLINK_ERROR_INTERNAL
#define in_child_GetLinkedLTOIR(...) NVJITLINK_ERROR_INTERNAL

#define DEFINE_VERSIONED(RELEASE, NAME, PARAMETERS, ARGUMENTS) \
  nvJitLinkResult __nvJitLink##NAME##_##RELEASE PARAMETERS { return nvJitLink##NAME ARGUMENTS; }
#define DEFINE(NAME, PARAMETERS, ARGUMENTS)                                                          \
  nvJitLinkResult nvJitLink##NAME PARAMETERS { return forked ? in_child_##NAME ARGUMENTS : go##NAME ARGUMENTS; } \
  NVJITLINK_RELEASES(DEFINE_VERSIONED, NAME, PARAMETERS, ARGUMENTS)
NVJITLINK_CALLS(DEFINE)

/* The release that the library behaves as, kept here for forked children. */
static unsigned int release[2] = {NVJITLINK_MAJOR, NVJITLINK_MINOR};

void setRelease(unsigned int major, unsigned int minor) {
  release[0] = major;
  release[1] = minor;
}

nvJitLinkResult nvJitLinkVersion(unsigned int *major, unsigned int *minor) {
  if (!major || !minor) return NVJITLINK_ERROR_NULL_INPUT;
  if (!forked) goReady();
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
