#!/usr/bin/env bash
# Builds both commands as a release does, twice: from two clones in folders with different names and with separate
# caches. It fails if the bytes differ, or if a program needs a dynamic loader. If there is a C compiler, it does the
# same for the Python wheel.
set -euo pipefail
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
# The settings for builds in .goreleaser.yaml.
for line in 'env: [CGO_ENABLED=0]' 'flags: [-trimpath]' 'ldflags: [-s -w]'; do
  grep -qF "$line" .goreleaser.yaml || { echo ".goreleaser.yaml: no $line" >&2; exit 1; }
done
for folder in one "another folder/of a longer name"; do
  mkdir -p "$tmp/$folder"
  git clone -q . "$tmp/$folder/culink"
  (
    cd "$tmp/$folder/culink"
    export GOCACHE="$tmp/cache of ${folder%% *}" CGO_ENABLED=0
    go build -trimpath -ldflags '-s -w' -o "$tmp/$folder/culink.bin" ./cmd/culink
    go build -trimpath -ldflags '-s -w' -o "$tmp/$folder/cuconform.bin" ./cmd/cuconform
    ! command -v "${CC:-cc}" >/dev/null || python3 python/wheel.py "$tmp/$folder"
  )
done
status=0
for command in culink cuconform; do
  if ! cmp "$tmp/one/$command.bin" "$tmp/another folder/of a longer name/$command.bin"; then
    status=1
  fi
  if readelf -lW "$tmp/one/$command.bin" | grep -E 'INTERP|DYNAMIC'; then
    echo "$command asks for a loader" >&2
    status=1
  fi
  sha256sum "$tmp/one/$command.bin" | sed "s|$tmp/one/||"
done
for wheel in "$tmp"/one/*.whl; do
  [ ! -e "$wheel" ] || cmp "$wheel" "$tmp/another folder/of a longer name/$(basename "$wheel")" || status=1
done
# No other check limits the size of the embedded files.
size=$(stat -c %s "$tmp/one/cuconform.bin")
if [ "$size" -gt 60000000 ]; then
  echo "cuconform has $size bytes, more than 60 MB" >&2
  status=1
fi
exit $status
