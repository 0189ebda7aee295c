#!/bin/sh
# build.sh DIR: builds libnvJitLink.so.13 and culink-lto, which it starts for intermediate code, into DIR,
# which is made if it is not there. Needs Go and a C compiler (CC, or cc).
set -eu
[ $# -eq 1 ] || { echo "usage: build.sh DIR" >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$here"
name=libnvJitLink.so.13
CGO_ENABLED=1 go build -buildmode=c-shared -trimpath \
  -ldflags "-s -w -extldflags '-Wl,-soname,$name -Wl,--version-script=$here/exports.map'" -o "$out/$name" .
rm -f "$out/libnvJitLink.so.h" # cgo's header of the Go functions; ours is nvJitLink.h
cp nvJitLink.h "$out/nvJitLink.h"
go build -trimpath -ldflags "-s -w" -o "$out/culink-lto" ../culink-lto
