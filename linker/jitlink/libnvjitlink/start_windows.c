/* Go starts when the DLL is loaded, on a thread of its own, as Go has it on Windows. */
#include <windows.h>

#include "start.h"

const char *volatile why;

int enters(void) { return 1; }

const char *ownFile(void) {
  enum { LONGEST = 32768 };
  static wchar_t wide[LONGEST];
  static char name[3 * LONGEST];
  HMODULE self;
  if (!GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                          (const wchar_t *)&culinkNvJitLink, &self)) return "nvJitLink";
  DWORD length = GetModuleFileNameW(self, wide, LONGEST);
  if (length == 0 || length == LONGEST) return "nvJitLink";
  return WideCharToMultiByte(CP_UTF8, 0, wide, -1, name, sizeof name, NULL, NULL) ? name : "nvJitLink";
}
