#!/bin/sh
# build.sh DIR [MAJOR [library]]: builds libnvJitLink.so.MAJOR (13, or 12) and culink-lto, which it starts for intermediate
# code, into DIR, which is made if it is not there. Needs Go, a C compiler (CC, or cc) and objcopy (OBJCOPY).
# With the word library, culink-lto is not built.
set -eu
major=${2:-13}
case $#-$major-${3:-all} in
  [12]-1[23]-all | 3-1[23]-library) ;;
  *) echo "usage: build.sh DIR [13|12 [library]]" >&2; exit 2 ;;
esac
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$here"
name=libnvJitLink.so.$major
map=$out/$name.map # the symbol version is the soname
trap 'rm -f "$map"' EXIT
sed "s/MAJOR/$major/" exports.map >"$map"
PATH=$here:$PATH CGO_ENABLED=1 CGO_CFLAGS="${CGO_CFLAGS:--O2 -g} -DNVJITLINK_MAJOR=$major" go build -buildmode=c-shared -trimpath \
  -ldflags "-s -w -buildid= -extld link.sh -extldflags '-Wl,-soname,$name -Wl,--version-script=$map'" -o "$out/$name" .
rm -f "$out/libnvJitLink.so.h" # cgo's header of the Go functions; ours is nvJitLink.h
cp nvJitLink.h "$out/nvJitLink.h"
[ "${3:-}" = library ] || go build -trimpath -ldflags "-s -w" -o "$out/culink-lto" ../../../cmd/culink-lto
