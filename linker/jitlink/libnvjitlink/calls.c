/* The calls as C sees them: each is there by its plain name and by those of its releases, and all
 * go to the Go function go<NAME> of main.go, unless start.h says that Go is not entered. */
#include <string.h>

#include "nvJitLink.h"
#include "start.h"
#include "_cgo_export.h"

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
