#!/usr/bin/env bash
# Builds both commands as a release does, from two clones in folders of other names and with caches of
# their own, and fails unless the bytes are the same and ask for no loader; the same for the Python wheel, where there is
# a C compiler.
set -euo pipefail
cd "$(dirname "$0")/.."
tmp=$(mktemp -d)
trap 'chmod -R u+w "$tmp"; rm -rf "$tmp"' EXIT
# What .goreleaser.yaml says of builds.
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
# What is embedded has no other limit than that.
size=$(stat -c %s "$tmp/one/cuconform.bin")
if [ "$size" -gt 60000000 ]; then
  echo "cuconform has $size bytes, more than 60 MB" >&2
  status=1
fi
exit $status
