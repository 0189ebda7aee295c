#!/usr/bin/env bash
# Makes the tables of docs/speed.md again. It needs an idle machine and nvlink (CULINK_ORACLE).
#
#   .ci/speed.sh                      the tables of generated links
#   LINKS=FOLDER .ci/speed.sh         also the table of the links in FOLDER (cuconform race -links)
#   PAIRS=3 .ci/speed.sh              three pairs of runs instead of nine
set -euo pipefail
cd "$(dirname "$0")/.."
: "${CULINK_ORACLE:?names the folder of the live tool}"

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
go build -o "$made/nvlink" ./cmd/culink
go build -o "$made/cuconform" ./cmd/cuconform

race() { "$made/cuconform" race -trust -linker "$made/nvlink" -n "${PAIRS:-9}" "$@"; }

# fill NAME replaces the block of docs/speed.md after the line that names it with the standard input.
fill() {
  cat >"$made/table"
  awk -v mark="<!-- $1, by .ci/speed.sh -->" -v table="$made/table" '
    $0 == mark { found = 1 }
    inside && /^```/ { inside = 0 }
    !inside { print }
    found && /^```/ { while ((getline line < table) > 0) print line; found = 0; inside = 1 }
  ' docs/speed.md >"$made/page"
  cp "$made/page" docs/speed.md
}

race | sed -n '/^workload/,$p' | fill pairs
CULINK_ORACLE='' race -grow 16 | sed -n '/^exponent/,$p' | fill growth
if [ -n "${LINKS:-}" ]; then
  race -links "$LINKS" -workload 'w*' | sed -n '/^workload/,$p' | fill links
fi
