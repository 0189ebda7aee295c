#!/usr/bin/env bash
# Makes docs/scoreboard.md again: nvlink, libnvJitLink and culink by every release with tools in ORACLES. Takes an hour
# on two processors.
#
#   ORACLES=FOLDER .ci/scoreboard.sh [REPORTS]
#
# The tools of a release are in ORACLES/oracle-RELEASE (.ci/install-oracle.sh), those for Windows in
# ORACLES/oracle-windows-RELEASE. Reports that are in the folder REPORTS already are not made again.
set -euo pipefail
cd "$(dirname "$0")/.."
: "${ORACLES:?names the folder of the tools}"
recorded=13.0.88 # the release of the corpus

made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT
reports=${1:-$made/reports}
mkdir -p "$reports"
go build -o "$made/" ./cmd/cuconform ./cmd/nvjitlink
linker/jitlink/libnvjitlink/build.sh "$made/library"

releases=$(cd "$ORACLES" && ls -d oracle-[0-9]* | sed 's/oracle-//' | sort -V)
rows=()

# newest RELEASE prints the newest installed patch of the same minor release. culink knows that one.
newest() {
  local minor
  minor=$(cut -d. -f1,2 <<<"$1")
  grep -E "^${minor//./\\.}(\.|$)" <<<"$releases" | tail -n 1
}

# row NAME WANTED FLAG... makes a report, unless it is there, and a row of the page. What differs is no error here.
row() {
  local name=$1 wanted=$2 file=$reports/${1// /-}.json
  shift 2
  if [ ! -e "$file" ]; then
    echo "$name"
    CULINK_ORACLE=$ORACLES/oracle-$wanted "$made/cuconform" run -toolkit "$wanted" -json "$file" "$@" >"$made/said" ||
      [ -e "$file" ] || { cat "$made/said" >&2; exit 1; }
  fi
  rows+=("$name=$file")
}

for r in $releases; do
  case $r in
    1[3-9].*.*) wanted=$(newest "$r") ;;
    *) wanted=$recorded ;; # nothing of these releases is recorded
  esac
  row "nvlink $r" "$wanted" -linker "$ORACLES/oracle-$r/bin/nvlink"
done
for r in $releases; do
  [ "$r" != "$(newest "$r")" ] || row "culink as $r" "$r" -waivers culink
done
for r in $releases; do
  library=$ORACLES/oracle-$r/lib/libnvJitLink.so.13
  [ -e "$library" ] && [ "$r" = "$(newest "$r")" ] || continue
  row "libnvJitLink $r" "$r" -library "$library" -has ptxas,compiler
  PATH=$ORACLES/oracle-$r/bin:$PATH \
    row "culink's libnvJitLink as $r" "$r" -library "$made/library/libnvJitLink.so.13" -has ptxas,compiler -waivers culink
done
windows=$ORACLES/oracle-windows-$recorded
if [ -d "$windows" ]; then
  row "nvlink.exe $recorded" "$recorded" -platform windows -j 1 -trust -linker "env -u TMPDIR $windows/wine-run $windows/bin/nvlink.exe"
  row "culink for Windows as $recorded" "$recorded" -platform windows -waivers culink
fi
"$made/cuconform" scoreboard -page docs/scoreboard.md "${rows[@]}"
