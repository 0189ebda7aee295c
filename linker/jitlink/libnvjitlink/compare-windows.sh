#!/bin/sh
# compare-windows.sh ORACLE [DLL RELEASE]: builds the DLL and testdata/compare.c, and makes the same calls on it and on NVIDIA's DLL
# below Wine. ORACLE is a folder with wine-run and bin/x86_64/nvJitLink_130_0.dll of 13.0.88. DLL is that of another RELEASE, of
# CUDA 12 or 13. Fails if an answer differs. Needs mingw.
set -eu
oracle=${1:?usage: compare-windows.sh ORACLE [DLL RELEASE]}
theirs=$(realpath "${2:-$oracle/bin/x86_64/nvJitLink_130_0.dll}")
release=${3:-13.0.88}
major=${release%%.*}
here=$(cd "$(dirname "$0")" && pwd)
inputs=$here/../../../conformance/library/recorded/in
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$here/build-windows.sh" "$work" "$major"
"${CC:-x86_64-w64-mingw32-gcc}" -Wall -Werror -O -I"$here" "$here/testdata/compare.c" -o "$work/compare.exe"
cd "$inputs"
cp a.90.cubin "$work/é.cubin" # the name is passed in the ANSI code page
unset TMPDIR # Wine takes a folder of Windows
export CULINK_TOOLKIT="$release"
failed=0
while read -r words; do
  # The words are options and inputs without blanks.
  # shellcheck disable=SC2086
  if ! said=$("$oracle/wine-run" "$work/compare.exe" "Z:$work/nvJitLink_${major}0_0.dll" "Z:$theirs" $words </dev/null 2>"$work/stderr"); then
    printf '%s\n%s\n' "$words" "$said"
    cat "$work/stderr" >&2
    failed=1
  fi
done <<SETS
-arch=sm_90
-arch=sm_90 1=a.90.cubin 1=b.90.cubin
-arch=sm_90 1=a.90.cubin
-arch=sm_80 4=a.fatbin 4=b.fatbin
-arch=sm_90 5=a.o 5=b.o
-arch=sm_90 6=cubin-first.a
-arch=sm_90 6=host-first.a
-arch=sm_90 -bogus
-arch=sm_90 -verbose 1=a.90.cubin 1=b.90.cubin
-arch=sm_100 1=a.100.cubin 1=b.100.cubin
-arch=sm_90 -g 1=a.90.cubin 1=b.90.cubin
-arch=sm_90 1=@a.90.cubin 1=@b.90.cubin
-arch=sm_90 1=@none.cubin
-arch=sm_90 1=@Z:$work/é.cubin 1=@b.90.cubin
-arch=sm_80 1=a.90.cubin
-arch=sm_999
-lto
-arch=sm_90 2=a.90.cubin
-arch=sm_90 1=empty.txt
-arch=sm_90 -kernels-used=x 1=a.90.cubin 1=b.90.cubin
-arch=sm_90 -r 1=a.90.cubin
-arch=sm_90 3=a.ltoir
SETS
exit $failed
