#!/bin/sh
# link.sh ARGUMENT...: the C compiler as the linker of build.sh. Go's start, which would run when the library is loaded, becomes
# the section go_start, of which start_linux.c calls the first entry at the first call.
for word; do
  case $word in */go.o) "${OBJCOPY:-objcopy}" --rename-section .init_array=go_start,alloc,load,data "$word" || exit ;; esac
done
exec "${CC:-cc}" "$@"
