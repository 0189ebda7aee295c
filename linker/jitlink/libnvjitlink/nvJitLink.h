/* nvJitLink.h: the interface of the libnvJitLink that culink builds.
 *
 * Links CUDA device code in memory. The calls, their results and the values below are those of
 * NVIDIA's library of CUDA 13.5, so programs built with either header run with either library.
 * With NVJITLINK_MAJOR defined as 12 it is the interface of libnvJitLink.so.12.
 *
 * A handle is one link: create it with options, add inputs, complete it, read the image and the
 * logs, destroy it. Handles are independent of each other, and calls for different ones may be
 * made at the same time. Data and names are copied before a call returns.
 *
 * Not after fork: a child of a process that has loaded the library has to execute a program
 * before it links; every call returns NVJITLINK_ERROR_INTERNAL there, and the error log says why.
 */
#ifndef CULINK_NVJITLINK_H
#define CULINK_NVJITLINK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nvJitLink *nvJitLinkHandle;

typedef enum {
  NVJITLINK_SUCCESS = 0,
  NVJITLINK_ERROR_UNRECOGNIZED_OPTION = 1,
  NVJITLINK_ERROR_MISSING_ARCH = 2,
  NVJITLINK_ERROR_INVALID_INPUT = 3,
  NVJITLINK_ERROR_PTX_COMPILE = 4,
  NVJITLINK_ERROR_NVVM_COMPILE = 5,
  NVJITLINK_ERROR_INTERNAL = 6,
  NVJITLINK_ERROR_THREADPOOL = 7,
  NVJITLINK_ERROR_UNRECOGNIZED_INPUT = 8,
  NVJITLINK_ERROR_FINALIZE = 9,
  NVJITLINK_ERROR_NULL_INPUT = 10,
  NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS = 11,
  NVJITLINK_ERROR_INCORRECT_INPUT_TYPE = 12,
  NVJITLINK_ERROR_ARCH_MISMATCH = 13,
  NVJITLINK_ERROR_OUTDATED_LIBRARY = 14,
  NVJITLINK_ERROR_MISSING_FATBIN = 15,
  NVJITLINK_ERROR_UNRECOGNIZED_ARCH = 16,
  NVJITLINK_ERROR_UNSUPPORTED_ARCH = 17,
  NVJITLINK_ERROR_LTO_NOT_ENABLED = 18
} nvJitLinkResult;

typedef enum {
  NVJITLINK_INPUT_NONE = 0,
  NVJITLINK_INPUT_CUBIN = 1,
  NVJITLINK_INPUT_PTX = 2,
  NVJITLINK_INPUT_LTOIR = 3,
  NVJITLINK_INPUT_FATBIN = 4,
  NVJITLINK_INPUT_OBJECT = 5,
  NVJITLINK_INPUT_LIBRARY = 6,
  NVJITLINK_INPUT_INDEX = 7,
  NVJITLINK_INPUT_ANY = 10
} nvJitLinkInputType;

/* The newest release of the library, and those whose names it exports: X(RELEASE, ...). It behaves as
 * the newest, or as the one that CULINK_TOOLKIT names. */
#ifndef NVJITLINK_MAJOR
#define NVJITLINK_MAJOR 13
#endif
#if NVJITLINK_MAJOR == 13
#define NVJITLINK_MINOR 5
#define NVJITLINK_RELEASES(X, ...)                                                                   \
  X(13_0, __VA_ARGS__) X(13_1, __VA_ARGS__) X(13_2, __VA_ARGS__) X(13_3, __VA_ARGS__) X(13_4, __VA_ARGS__) \
  X(13_5, __VA_ARGS__)
/* The calls that came with 13.2. */
#define NVJITLINK_LATER_CALLS(X)                                                                    \
  X(GetLinkedLTOIRSize, (nvJitLinkHandle handle, size_t *size), (handle, size))                     \
  X(GetLinkedLTOIR, (nvJitLinkHandle handle, void *ltoir), (handle, ltoir))
#elif NVJITLINK_MAJOR == 12
#define NVJITLINK_MINOR 9
#define NVJITLINK_LATER_CALLS(X)
#define NVJITLINK_RELEASES(X, ...)                                                                   \
  X(12_0, __VA_ARGS__) X(12_1, __VA_ARGS__) X(12_2, __VA_ARGS__) X(12_3, __VA_ARGS__) X(12_4, __VA_ARGS__) \
  X(12_5, __VA_ARGS__) X(12_6, __VA_ARGS__) X(12_7, __VA_ARGS__) X(12_8, __VA_ARGS__) X(12_9, __VA_ARGS__)
#else
#error "NVJITLINK_MAJOR is 12 or 13"
#endif

/* The calls. X(NAME, PARAMETERS, ARGUMENTS): each is exported as nvJitLinkNAME, and, but for
 * Version, as __nvJitLinkNAME_RELEASE for every release. A size counts the zero byte at the end of a text; an empty
 * log has size 0, and reading it writes one zero byte. */
#define NVJITLINK_CALLS(X)                                                                          \
  X(Create, (nvJitLinkHandle *handle, uint32_t count, const char **options), (handle, count, options)) \
  X(Destroy, (nvJitLinkHandle *handle), (handle))                                                   \
  X(AddData, (nvJitLinkHandle handle, nvJitLinkInputType type, const void *data, size_t size, const char *name), \
    (handle, type, data, size, name))                                                               \
  X(AddFile, (nvJitLinkHandle handle, nvJitLinkInputType type, const char *name), (handle, type, name)) \
  X(Complete, (nvJitLinkHandle handle), (handle))                                                   \
  X(GetLinkedCubinSize, (nvJitLinkHandle handle, size_t *size), (handle, size))                     \
  X(GetLinkedCubin, (nvJitLinkHandle handle, void *cubin), (handle, cubin))                         \
  X(GetLinkedPtxSize, (nvJitLinkHandle handle, size_t *size), (handle, size))                       \
  X(GetLinkedPtx, (nvJitLinkHandle handle, char *ptx), (handle, ptx))                               \
  X(GetErrorLogSize, (nvJitLinkHandle handle, size_t *size), (handle, size))                        \
  X(GetErrorLog, (nvJitLinkHandle handle, char *log), (handle, log))                                \
  X(GetInfoLogSize, (nvJitLinkHandle handle, size_t *size), (handle, size))                         \
  X(GetInfoLog, (nvJitLinkHandle handle, char *log), (handle, log))                                 \
  NVJITLINK_LATER_CALLS(X)

#define NVJITLINK_DECLARE_VERSIONED(RELEASE, NAME, PARAMETERS) nvJitLinkResult __nvJitLink##NAME##_##RELEASE PARAMETERS;
#define NVJITLINK_DECLARE(NAME, PARAMETERS, ARGUMENTS) \
  nvJitLinkResult nvJitLink##NAME PARAMETERS;          \
  NVJITLINK_RELEASES(NVJITLINK_DECLARE_VERSIONED, NAME, PARAMETERS)
NVJITLINK_CALLS(NVJITLINK_DECLARE)
#undef NVJITLINK_DECLARE
#undef NVJITLINK_DECLARE_VERSIONED

nvJitLinkResult nvJitLinkVersion(unsigned int *major, unsigned int *minor);

#ifdef __cplusplus
}
#endif
#endif
