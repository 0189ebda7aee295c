/* client.c: calls libnvJitLink as a program does that is linked against it, and says "ok" at the end.
 *
 *   client WHAT LIBRARY-INPUT...
 *
 * links CUBIN CUBIN   two cubins, by the header's calls; the caller's buffers are overwritten after each call
 * threads N CUBIN CUBIN  the same on N threads at once
 * repeat N CUBIN CUBIN   N links; prints the growth of the resident memory over the last nine tenths, in KiB
 * rate N CUBIN CUBIN     N links; prints how many a second. The buffers stay as they are, for NVIDIA's library
 * refused REASON      calls that say why they do not link
 * missing CUBIN CUBIN a link of the first cubin, which needs the second; prints the error log
 * garbage             handles that are none
 * null                null handles and null places for results
 * release TOOLKIT     the release after the program has set CULINK_TOOLKIT, as MAJOR.MINOR
 * ignores N           N links of PTX while SIGCHLD is ignored
 * reaps N             N links of PTX while a thread waits for every child
 * fork CUBIN CUBIN    a child that was forked after the load, and one that is forked and executes
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "nvJitLink.h"

/* A call by its name of a release: with libnvJitLink.so.12, of one that is not its last. */
#if NVJITLINK_MAJOR == 12
#define VERSIONED(NAME) __nvJitLink##NAME##_12_4
#else
#define VERSIONED(NAME) __nvJitLink##NAME##_13_0
#endif

#define CHECK(CALL, WANT)                                                               \
  do {                                                                                  \
    int got = (CALL);                                                                   \
    if (got != (WANT)) {                                                                \
      fprintf(stderr, "client.c:%d: %s is %d, want %d\n", __LINE__, #CALL, got, (WANT)); \
      exit(1);                                                                          \
    }                                                                                   \
  } while (0)

struct file {
  char *data;
  size_t size;
};

static struct file files[2];
static int keep; /* the buffers */
static char *first; /* the first image */
static size_t first_size;

static struct file load(const char *name) {
  struct file f;
  FILE *in = fopen(name, "rb");
  if (!in) { perror(name); exit(1); }
  fseek(in, 0, SEEK_END);
  f.size = (size_t)ftell(in);
  rewind(in);
  f.data = malloc(f.size);
  if (fread(f.data, 1, f.size, in) != f.size) { perror(name); exit(1); }
  fclose(in);
  return f;
}

/* One link, by the versioned names if asked for. Returns the image. */
static char *once(int versioned, size_t *size) {
  nvJitLinkHandle h = NULL;
  char option[] = "-arch=sm_90";
  const char *options[] = {option};
  CHECK((versioned ? VERSIONED(Create) : nvJitLinkCreate)(&h, 1, options), NVJITLINK_SUCCESS);
  if (!keep) memset(option, 'x', sizeof option - 1);
  for (int i = 0; i < 2; i++) {
    if (keep) {
      CHECK(nvJitLinkAddData(h, NVJITLINK_INPUT_CUBIN, files[i].data, files[i].size, "input.cubin"), NVJITLINK_SUCCESS);
      continue;
    }
    char name[] = "input.cubin", *copy = malloc(files[i].size);
    memcpy(copy, files[i].data, files[i].size);
    CHECK((versioned ? VERSIONED(AddData) : nvJitLinkAddData)(h, NVJITLINK_INPUT_CUBIN, copy, files[i].size, name), NVJITLINK_SUCCESS);
    memset(copy, 0xee, files[i].size);
    memset(name, 'x', sizeof name - 1);
    free(copy);
  }
  CHECK((versioned ? VERSIONED(Complete) : nvJitLinkComplete)(h), NVJITLINK_SUCCESS);
  CHECK((versioned ? VERSIONED(GetLinkedCubinSize) : nvJitLinkGetLinkedCubinSize)(h, size), NVJITLINK_SUCCESS);
  char *image = malloc(*size);
  CHECK((versioned ? VERSIONED(GetLinkedCubin) : nvJitLinkGetLinkedCubin)(h, image), NVJITLINK_SUCCESS);
  size_t log;
  CHECK((versioned ? VERSIONED(GetErrorLogSize) : nvJitLinkGetErrorLogSize)(h, &log), NVJITLINK_SUCCESS);
  CHECK(log != 0, 0);
  CHECK((versioned ? VERSIONED(GetInfoLogSize) : nvJitLinkGetInfoLogSize)(h, &log), NVJITLINK_SUCCESS);
  CHECK(log != 0, 0);
  CHECK((versioned ? VERSIONED(Destroy) : nvJitLinkDestroy)(&h), NVJITLINK_SUCCESS);
  CHECK(h != NULL, 0);
  return image;
}

static void same(int versioned) {
  size_t size;
  char *image = once(versioned, &size);
  if (size != first_size || memcmp(image, first, size)) {
    fprintf(stderr, "another image\n");
    exit(1);
  }
  free(image);
}

static void *many(void *unused) {
  for (int i = 0; i < 20; i++) same(i % 2);
  return unused;
}

static void *reap(void *unused) {
  for (;;) {
    if (waitpid(-1, NULL, 0) < 0) usleep(100); /* no child now */
  }
  return unused;
}

/* One link of PTX, which a program compiles. */
static void assembled(void) {
  nvJitLinkHandle h = NULL;
  const char *options[] = {"-arch=sm_90"}, text[] = ".version 8.0\n.target sm_90\n.address_size 64\n";
  char log[4096] = "";
  CHECK(nvJitLinkCreate(&h, 1, options), NVJITLINK_SUCCESS);
  if (nvJitLinkAddData(h, NVJITLINK_INPUT_PTX, text, sizeof text, "input.ptx") || nvJitLinkComplete(h)) {
    nvJitLinkGetErrorLog(h, log);
    fprintf(stderr, "PTX: %s\n", log);
    exit(1);
  }
  CHECK(nvJitLinkDestroy(&h), NVJITLINK_SUCCESS);
}

/* Calls with a null handle, and calls for a link with a null place for the result. CUDA 12 has no result NULL_INPUT. */
static void nulls(void) {
  nvJitLinkResult want = NVJITLINK_MAJOR == 12 ? NVJITLINK_ERROR_INVALID_INPUT : NVJITLINK_ERROR_NULL_INPUT;
  nvJitLinkHandle h = NULL;
  const char *options[] = {"-arch=sm_90"};
  size_t size;
  char byte;
  unsigned int number;
  CHECK(nvJitLinkCreate(NULL, 1, options), want);
  CHECK(nvJitLinkCreate(&h, 1, NULL), want);
  CHECK(nvJitLinkDestroy(NULL), want);
  CHECK(nvJitLinkDestroy(&h), want);
  CHECK(nvJitLinkAddData(h, NVJITLINK_INPUT_ANY, "x", 1, "x"), want);
  CHECK(nvJitLinkAddFile(h, NVJITLINK_INPUT_ANY, "x"), want);
  CHECK(nvJitLinkComplete(h), want);
  CHECK(nvJitLinkVersion(NULL, &number), want);
  CHECK(nvJitLinkVersion(&number, NULL), want);
  for (int there = 0; there < 2; there++) {
    if (there) CHECK(nvJitLinkCreate(&h, 1, options), NVJITLINK_SUCCESS);
    size_t *count = there ? NULL : &size;
    char *to = there ? NULL : &byte;
    CHECK(nvJitLinkGetLinkedCubinSize(h, count), want);
    CHECK(nvJitLinkGetLinkedCubin(h, to), want);
    CHECK(nvJitLinkGetLinkedPtxSize(h, count), want);
    CHECK(nvJitLinkGetLinkedPtx(h, to), want);
    CHECK(nvJitLinkGetErrorLogSize(h, count), want);
    CHECK(nvJitLinkGetErrorLog(h, to), want);
    CHECK(nvJitLinkGetInfoLogSize(h, count), want);
    CHECK(nvJitLinkGetInfoLog(h, to), want);
  }
  CHECK(nvJitLinkAddFile(h, NVJITLINK_INPUT_ANY, NULL), want);
  CHECK(nvJitLinkDestroy(&h), NVJITLINK_SUCCESS);
}

/* Calls of a process in which the library does not link, for a reason that the error log has. */
static void refused(const char *reason) {
  nvJitLinkHandle h = NULL;
  const char *options[] = {"-arch=sm_90"};
  size_t size = 0;
  char log[256];
  CHECK(nvJitLinkCreate(&h, 1, options), NVJITLINK_ERROR_INTERNAL);
  CHECK(nvJitLinkComplete(h), NVJITLINK_ERROR_INTERNAL);
  CHECK(nvJitLinkGetErrorLogSize(h, &size), NVJITLINK_SUCCESS);
  CHECK(size > sizeof log, 0);
  CHECK(nvJitLinkGetErrorLog(h, log), NVJITLINK_SUCCESS);
  CHECK(strlen(log) + 1 == size, 1);
  CHECK(strstr(log, reason) == NULL, 0);
  CHECK(nvJitLinkDestroy(&h), NVJITLINK_SUCCESS);
}

/* A link of a cubin whose function is defined nowhere. */
static void missing(void) {
  nvJitLinkHandle h = NULL;
  const char *options[] = {"-arch=sm_90"};
  char log[4096];
  CHECK(nvJitLinkCreate(&h, 1, options), NVJITLINK_SUCCESS);
  CHECK(nvJitLinkAddData(h, NVJITLINK_INPUT_CUBIN, files[0].data, files[0].size, "a.cubin"), NVJITLINK_SUCCESS);
  CHECK(nvJitLinkComplete(h), NVJITLINK_ERROR_INTERNAL);
  CHECK(nvJitLinkGetErrorLog(h, log), NVJITLINK_SUCCESS);
  CHECK(nvJitLinkDestroy(&h), NVJITLINK_SUCCESS);
  printf("%s", log);
}

static long resident(void) {
  long pages = 0, total;
  FILE *in = fopen("/proc/self/statm", "r");
  if (!in || fscanf(in, "%ld %ld", &total, &pages) != 2) pages = 0;
  if (in) fclose(in);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(int argc, char **argv) {
  const char *what = argc > 1 ? argv[1] : "";
  unsigned int major, minor;
  if (!strcmp(what, "release")) setenv("CULINK_TOOLKIT", argv[2], 1);
  CHECK(nvJitLinkVersion(&major, &minor), NVJITLINK_SUCCESS);
  CHECK(major, NVJITLINK_MAJOR); /* the release is that of CULINK_TOOLKIT, or of NVIDIA's library */
  keep = !strcmp(what, "rate");
  if (argc > 3) {
    files[0] = load(argv[argc - 2]);
    files[1] = load(argv[argc - 1]);
    first = once(0, &first_size);
  }
  if (!strcmp(what, "release")) {
    printf("%u.%u\n", major, minor);
  } else if (!strcmp(what, "links")) {
    same(0);
    same(1);
  } else if (!strcmp(what, "threads")) {
    pthread_t threads[256];
    int n = atoi(argv[2]);
    for (int i = 0; i < n; i++) CHECK(pthread_create(&threads[i], NULL, many, NULL), 0);
    for (int i = 0; i < n; i++) CHECK(pthread_join(threads[i], NULL), 0);
  } else if (!strcmp(what, "repeat")) {
    long n = atol(argv[2]), before = 0;
    for (long i = 0; i < n; i++) {
      if (i == n / 10) before = resident();
      same(0);
    }
    printf("%ld\n", resident() - before);
  } else if (!strcmp(what, "ignores") || !strcmp(what, "reaps")) {
    pthread_t thread;
    if (!strcmp(what, "reaps")) CHECK(pthread_create(&thread, NULL, reap, NULL), 0);
    if (!strcmp(what, "ignores")) signal(SIGCHLD, SIG_IGN);
    for (int n = atoi(argv[2]); n > 0; n--) assembled();
  } else if (!strcmp(what, "rate")) {
    struct timespec began, ended;
    clock_gettime(CLOCK_MONOTONIC, &began);
    for (long i = atol(argv[2]); i > 0; i--) same(0);
    clock_gettime(CLOCK_MONOTONIC, &ended);
    printf("%.0f\n", atol(argv[2]) / (ended.tv_sec - began.tv_sec + 1e-9 * (ended.tv_nsec - began.tv_nsec)));
  } else if (!strcmp(what, "missing")) {
    missing();
  } else if (!strcmp(what, "refused")) {
    refused(argv[2]);
  } else if (!strcmp(what, "garbage")) {
    void *handles[] = {(void *)1, (void *)0x1234, &major, (void *)main, (void *)-1, (void *)0x6a69740000000011};
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++) {
      nvJitLinkHandle h = handles[i];
      size_t size;
      char byte;
      CHECK(nvJitLinkAddData(h, NVJITLINK_INPUT_ANY, "x", 1, "x"), NVJITLINK_ERROR_INVALID_INPUT);
      CHECK(nvJitLinkAddFile(h, NVJITLINK_INPUT_ANY, "x"), NVJITLINK_ERROR_INVALID_INPUT);
      CHECK(nvJitLinkComplete(h), NVJITLINK_ERROR_INVALID_INPUT);
      CHECK(nvJitLinkGetLinkedCubinSize(h, &size), NVJITLINK_ERROR_INVALID_INPUT);
      CHECK(nvJitLinkGetLinkedCubin(h, &byte), NVJITLINK_ERROR_INVALID_INPUT);
      CHECK(nvJitLinkGetLinkedPtxSize(h, &size), NVJITLINK_ERROR_INVALID_INPUT);
      CHECK(nvJitLinkGetLinkedPtx(h, &byte), NVJITLINK_ERROR_INVALID_INPUT);
      CHECK(nvJitLinkGetErrorLogSize(h, &size), NVJITLINK_ERROR_INVALID_INPUT);
      CHECK(nvJitLinkGetErrorLog(h, &byte), NVJITLINK_ERROR_INVALID_INPUT);
      CHECK(nvJitLinkGetInfoLogSize(h, &size), NVJITLINK_ERROR_INVALID_INPUT);
      CHECK(nvJitLinkGetInfoLog(h, &byte), NVJITLINK_ERROR_INVALID_INPUT);
      CHECK(nvJitLinkDestroy(&h), NVJITLINK_ERROR_INVALID_INPUT);
      CHECK(h != handles[i], 0);
    }
  } else if (!strcmp(what, "null")) {
    nulls();
  } else if (!strcmp(what, "fork")) {
    for (int executes = 0; executes < 2; executes++) {
      pid_t child = fork();
      if (child == 0 && executes) {
        execl("/proc/self/exe", argv[0], "links", argv[2], argv[3], (char *)NULL);
        _exit(1);
      }
      if (child == 0) {
        alarm(20); /* a call that never returns ends the child */
        refused("forked after libnvJitLink was used");
        _exit(0);
      }
      int status;
      CHECK(waitpid(child, &status, 0) == child, 1);
      CHECK(status, 0);
    }
    same(0); /* the parent goes on */
  }
  puts("ok");
  return 0;
}
