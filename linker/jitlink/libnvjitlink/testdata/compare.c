/* compare.c: makes the same calls on two libraries for Windows, and compares every answer: the result, the logs after each call,
 * the sizes, the image and the PTX.
 *
 *   compare OURS THEIRS OPTION... KIND=FILE...
 *
 * KIND is a number of nvJitLinkInputType; a file that begins with @ is added by nvJitLinkAddFile. Prints what differs, and "ok" if
 * nothing does. "destroyed" is the handle after nvJitLinkDestroy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <windows.h>

#include "nvJitLink.h"

#define POINTER(NAME, PARAMETERS, ARGUMENTS) nvJitLinkResult(*NAME) PARAMETERS;
struct library {
  nvJitLinkResult (*Version)(unsigned int *, unsigned int *);
  NVJITLINK_CALLS(POINTER)
};

static struct library libraries[2];
static nvJitLinkHandle handles[2];
static int differ;

static void load(struct library *l, const char *file) {
  HMODULE m = LoadLibraryExA(file, NULL, LOAD_WITH_ALTERED_SEARCH_PATH);
  if (!m) {
    fprintf(stderr, "%s: error %lu\n", file, GetLastError());
    exit(2);
  }
#define GET(NAME, PARAMETERS, ARGUMENTS) l->NAME = (void *)GetProcAddress(m, "nvJitLink" #NAME);
  NVJITLINK_CALLS(GET)
  l->Version = (void *)GetProcAddress(m, "nvJitLinkVersion");
}

static void number(const char *call, const char *what, long long ours, long long theirs) {
  if (ours == theirs) return;
  differ = 1;
  printf("%s: %s %lld, want %lld\n", call, what, ours, theirs);
}

/* Compares two texts of one size. */
static void text(const char *call, const char *what, const char *ours, const char *theirs, size_t size) {
  if (!memcmp(ours, theirs, size)) return;
  size_t at = 0;
  while (ours[at] == theirs[at]) at++;
  differ = 1;
  printf("%s: %s differs at byte %zu of %zu\n  ours:   %.200s\n  theirs: %.200s\n", call, what, at, size, ours, theirs);
}

/* Compares what two libraries return by a pair of calls. */
#define RESULT(CALL, WHAT, TYPE)                                                                                    \
  do {                                                                                                              \
    size_t size[2] = {77, 77};                                                                                      \
    int result[2];                                                                                                  \
    for (int i = 0; i < 2; i++) result[i] = libraries[i].Get##WHAT##Size(handles[i], &size[i]);                     \
    number(CALL, #WHAT "Size", result[0], result[1]);                                                               \
    number(CALL, #WHAT " bytes", size[0], size[1]);                                                                 \
    char *data[2];                                                                                                  \
    for (int i = 0; i < 2; i++) {                                                                                   \
      data[i] = calloc(size[i] + 8, 1);                                                                             \
      result[i] = libraries[i].Get##WHAT(handles[i], (TYPE)data[i]);                                                \
    }                                                                                                               \
    number(CALL, #WHAT, result[0], result[1]);                                                                      \
    if (size[0] == size[1]) text(CALL, #WHAT, data[0], data[1], size[0] + 8);                                       \
    else printf("  ours:   %.300s\n  theirs: %.300s\n", data[0], data[1]);                                         \
    for (int i = 0; i < 2; i++) free(data[i]);                                                                      \
  } while (0)

static void logs(const char *call) {
  RESULT(call, ErrorLog, char *);
  RESULT(call, InfoLog, char *);
}

static char *read(const char *name, size_t *size) {
  FILE *in = fopen(name, "rb");
  if (!in) { perror(name); exit(2); }
  fseek(in, 0, SEEK_END);
  *size = (size_t)ftell(in);
  rewind(in);
  char *data = calloc(*size + 1, 1); /* NVIDIA's library reads PTX up to a zero byte, which may stand behind the size */
  if (fread(data, 1, *size, in) != *size) { perror(name); exit(2); }
  fclose(in);
  return data;
}

int main(int argc, char **argv) {
  int result[2], options = 0;
  if (argc < 3) return 2;
  load(&libraries[0], argv[1]);
  load(&libraries[1], argv[2]);
  unsigned int version[2][2];
  for (int i = 0; i < 2; i++) result[i] = libraries[i].Version(&version[i][0], &version[i][1]);
  number("Version", "result", result[0], result[1]);
  number("Version", "major", version[0][0], version[1][0]);
  number("Version", "minor", version[0][1], version[1][1]);
  while (3 + options < argc && argv[3 + options][0] == '-') options++;
  for (int i = 0; i < 2; i++) result[i] = libraries[i].Create(&handles[i], options, (const char **)argv + 3);
  number("Create", "result", result[0], result[1]);
  logs("Create");
  if (result[0] || result[1]) goto end; /* NVIDIA's library ends the process at a later call */
  for (int at = 3 + options; at < argc; at++) {
    nvJitLinkInputType kind = atoi(argv[at]);
    char *name = strchr(argv[at], '=') + 1;
    size_t size;
    char *data = *name == '@' ? NULL : read(name, &size);
    for (int i = 0; i < 2; i++)
      result[i] = data ? libraries[i].AddData(handles[i], kind, data, size, name) : libraries[i].AddFile(handles[i], kind, name + 1);
    number(argv[at], "result", result[0], result[1]);
    logs(argv[at]);
  }
  for (int i = 0; i < 2; i++) result[i] = libraries[i].Complete(handles[i]);
  number("Complete", "result", result[0], result[1]);
  logs("Complete");
  if (result[0] == 0 && result[1] == 0) RESULT("Complete", LinkedCubin, void *);
  RESULT("Complete", LinkedPtx, char *);
end:
  for (int i = 0; i < 2; i++) result[i] = libraries[i].Destroy(&handles[i]);
  number("Destroy", "result", result[0], result[1]);
  number("Destroy", "destroyed", handles[0] == NULL, handles[1] == NULL);
  if (!differ) puts("ok");
  fflush(stdout);
  _exit(differ);
}
