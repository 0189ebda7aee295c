#!/usr/bin/env bash
# Runs the programs that link through libnvJitLink with culink's library in the place of NVIDIA's, and with
# NVIDIA's where CULINK_ORACLE names an installed toolkit, and compares the images that they get.
#
#   nvjitlink-clients.sh
#
# Needs Go and a C compiler. The Python packages come from the package index into a fresh virtual environment; what
# cannot be installed is a line NOT RUN. CULINK_SUITES=DIR names a folder with test_nvjitlink.py of cuda-python
# (its folder cuda_bindings/tests, without conftest.py), which is in no package. PTX needs the toolkit's ptxas.
set -euo pipefail

here=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
inputs=$here/conformance/library/recorded/in
oracle=${CULINK_ORACLE:+$(realpath "$CULINK_ORACLE")}
failed=

"$here/cmd/libnvjitlink/build.sh" "$work/culink"
libraries=(culink)
if [ -n "$oracle" ]; then
  libraries+=(nvidia)
  mkdir "$work/nvidia"
  ln -s "$oracle/lib/libnvJitLink.so.13" "$work/nvidia/"
  export CULINK_PTXAS=$oracle/bin/ptxas
else
  echo "NOT RUN: comparison with NVIDIA's library, and PTX: CULINK_ORACLE is not set"
fi

# A C program, built once, with our header.
"${CC:-cc}" -Wall -Werror -I"$work/culink" "$here/cmd/libnvjitlink/testdata/client.c" -o "$work/client" \
  "$work/culink/libnvJitLink.so.13" -lpthread
for what in links "threads 64" garbage fork; do
  # The words of $what are arguments.
  # shellcheck disable=SC2086
  (cd "$inputs" && LD_LIBRARY_PATH=$work/culink "$work/client" $what a.90.cubin b.90.cubin >"$work/said" 2>&1) &&
    echo "C program, $what: ok" || { echo "C program, $what: FAILED"; cat "$work/said"; failed=1; }
done
for library in "${libraries[@]}"; do
  rate=$(cd "$inputs" && LD_LIBRARY_PATH=$work/$library "$work/client" rate 3000 a.90.cubin b.90.cubin | head -1)
  echo "C program, small links a second, $library: $rate"
done

# The Python packages, each installed alone, so that one that cannot be had leaves the others.
python=$work/venv/bin/python
if ! python3 -m venv "$work/venv" >"$work/log" 2>&1; then
  echo "NOT RUN: Python clients: no virtual environment: $(tail -1 "$work/log")"
else
  for package in cuda-bindings==13.0.3 cuda-core numba-cuda nvidia-cuda-nvrtc==13.0.88 pytest; do
    "$python" -m pip install -q "$package" >"$work/log" 2>&1 || echo "NOT RUN: $package cannot be installed: $(tail -1 "$work/log")"
  done
  for library in "${libraries[@]}"; do
    LD_LIBRARY_PATH=$work/$library${oracle:+:$oracle/lib} "$python" "$here/cmd/libnvjitlink/testdata/clients.py" \
      "$inputs/a.90.cubin" "$inputs/b.90.cubin" >"$work/images.$library" || failed=1
    sed "s/^/$library: /" "$work/images.$library"
  done
  if [ -n "$oracle" ]; then
    cmp -s "$work/images.culink" "$work/images.nvidia" && echo "Python clients: the same images" ||
      { echo "Python clients: the images DIFFER"; failed=1; }
  fi
  if [ -z "${CULINK_SUITES:-}" ]; then
    echo "NOT RUN: test_nvjitlink.py of cuda-python: CULINK_SUITES is not set"
  else
    for library in "${libraries[@]}"; do
      LD_LIBRARY_PATH=$work/$library${oracle:+:$oracle/lib} "$python" -m pytest -q -p no:cacheprovider --noconftest \
        -W ignore "$CULINK_SUITES/test_nvjitlink.py" >"$work/suite.$library" 2>&1 || true
      echo "test_nvjitlink.py, $library: $(tail -1 "$work/suite.$library")"
      grep ^FAILED "$work/suite.$library" | sed 's/ - .*//' >"$work/failures.$library" || true
    done
    # What passes with NVIDIA's library has to pass.
    if [ -n "$oracle" ] && grep -vxF -f "$work/failures.nvidia" "$work/failures.culink"; then failed=1; fi
  fi
fi
[ -z "$failed" ]
