#!/bin/sh
# build-windows.sh DIR [MAJOR]: builds nvJitLink_MAJOR0_0.dll (MAJOR: 13, or 12) and culink-lto.exe for Windows on x86-64 into DIR,
# on any system with Go and mingw (CC, or x86_64-w64-mingw32-gcc).
set -eu
major=${2:-13}
case $#-$major in
  1-13 | 2-13 | 2-12) ;;
  *) echo "usage: build-windows.sh DIR [13|12]" >&2; exit 2 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$here"
export CC="${CC:-x86_64-w64-mingw32-gcc}" GOOS=windows GOARCH=amd64
name=nvJitLink_${major}0_0
CULINK_EXPORTS=$out/$name.def # read by link-windows.sh
export CULINK_EXPORTS
trap 'rm -f "$CULINK_EXPORTS"' EXIT
{
  printf 'LIBRARY %s.dll\nEXPORTS\nculinkNvJitLink DATA\nnvJitLinkVersion\n' "$name"
  # The calls of nvJitLink.h: every macro writes its names between two at signs.
  printf '%s\n' '#include "nvJitLink.h"' '#define VERSIONED(RELEASE, NAME) @ __nvJitLink##NAME##_##RELEASE @' \
    '#define CALL(NAME, PARAMETERS, ARGUMENTS) @ nvJitLink##NAME @ NVJITLINK_RELEASES(VERSIONED, NAME)' 'NVJITLINK_CALLS(CALL)' |
    "$CC" -E -P -I. -DNVJITLINK_MAJOR="$major" -x c - | tr '@' '\n' | sed -n 's/^ *\(_*nvJitLink[A-Za-z0-9_]*\) *$/\1/p'
} >"$CULINK_EXPORTS"
PATH=$here:$PATH CGO_ENABLED=1 CGO_CFLAGS="${CGO_CFLAGS:--O2 -g} -DNVJITLINK_MAJOR=$major" go build -buildmode=c-shared -trimpath \
  -ldflags "-s -w -buildid= -extld link-windows.sh" -o "$out/$name.dll" .
rm -f "$out/$name.h" # cgo's header of the Go functions; ours is nvJitLink.h
cp nvJitLink.h "$out/nvJitLink.h"
CGO_ENABLED=0 go build -trimpath -ldflags "-s -w" -o "$out/culink-lto.exe" ../../../cmd/culink-lto
