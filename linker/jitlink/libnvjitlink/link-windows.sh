#!/bin/sh
# link-windows.sh ARGUMENT...: the C compiler as the linker of build-windows.sh, with its list of exports in the place of Go's list,
# which has the Go functions.
for word; do
  shift
  case $word in */export_file.def) word=$CULINK_EXPORTS ;; esac
  set -- "$@" "$word"
done
exec "$CC" "$@"
