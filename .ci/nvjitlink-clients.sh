#!/usr/bin/env bash
# Runs the programs that link through libnvJitLink with culink's library in the place of NVIDIA's, and with
# NVIDIA's where CULINK_ORACLE names an installed toolkit, and compares the images that they get.
#
#   nvjitlink-clients.sh
#
# Needs Go and a C compiler. The Python packages come from the package index into two virtual environments in the
# user's cache, one for CUDA 13 and one for CUDA 12, where they stay for the next time; what cannot be installed is a
# line NOT RUN. CULINK_SUITES=DIR names a folder with test_nvjitlink.py of cuda-python (its folder cuda_bindings/tests,
# without conftest.py), which is in no package. PTX needs the toolkit's ptxas.
set -euo pipefail

here=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
inputs=$here/conformance/library/recorded/in
oracle=${CULINK_ORACLE:+$(realpath "$CULINK_ORACLE")}
environments=${XDG_CACHE_HOME:-$HOME/.cache}/culink/clients
failed=

"$here/linker/jitlink/libnvjitlink/build.sh" "$work/culink"
"$here/linker/jitlink/libnvjitlink/build.sh" "$work/culink12" 12
libraries=(culink)
if [ -n "$oracle" ]; then
  libraries+=(nvidia)
  mkdir "$work/nvidia"
  ln -s "$oracle/lib/libnvJitLink.so.13" "$work/nvidia/"
  export CULINK_PTXAS=$oracle/bin/ptxas
  # culink's library behaves as NVIDIA's of the same release.
  CULINK_TOOLKIT=$("$oracle/bin/nvlink" --version | sed -n 's/.*, V//p')
  export CULINK_TOOLKIT
else
  echo "NOT RUN: comparison with NVIDIA's library, and PTX: CULINK_ORACLE is not set"
fi

# A C program, built once, with our header.
"${CC:-cc}" -Wall -Werror -I"$work/culink" "$here/linker/jitlink/libnvjitlink/testdata/client.c" -o "$work/client" \
  "$work/culink/libnvJitLink.so.13" -lpthread
for what in links "threads 64" garbage null fork; do
  # The words of $what are arguments.
  # shellcheck disable=SC2086
  (cd "$inputs" && LD_LIBRARY_PATH=$work/culink "$work/client" $what a.90.cubin b.90.cubin >"$work/said" 2>&1) &&
    echo "C program, $what: ok" || { echo "C program, $what: FAILED"; cat "$work/said"; failed=1; }
done
for library in "${libraries[@]}"; do
  rate=$(cd "$inputs" && LD_LIBRARY_PATH=$work/$library "$work/client" rate 3000 a.90.cubin b.90.cubin | head -1)
  echo "C program, small links a second, $library: $rate"
done

# environment DIR PACKAGE...: a virtual environment with the packages, each installed alone, so that one that cannot
# be had leaves the others.
environment() {
  local dir=$1 package
  shift
  [ -x "$dir/bin/python" ] || python3 -m venv "$dir" >"$work/log" 2>&1 || {
    echo "NOT RUN: Python clients: no virtual environment: $(tail -1 "$work/log")"
    return 1
  }
  for package; do
    grep -qxF "$package" "$dir/installed" 2>/dev/null && continue
    if "$dir/bin/python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 15 "$package" >"$work/log" 2>&1
    then echo "$package" >>"$dir/installed"; else echo "NOT RUN: $package cannot be installed: $(tail -1 "$work/log")"; fi
  done
}

python=$environments/13/bin/python
if environment "$environments/13" cuda-bindings==13.0.3 cuda-core==1.2.2 numba-cuda==0.30.4 nvidia-cuda-nvrtc==13.0.88 pytest; then
  for library in "${libraries[@]}"; do
    LD_LIBRARY_PATH=$work/$library${oracle:+:$oracle/lib} "$python" "$here/linker/jitlink/libnvjitlink/testdata/clients.py" \
      "$inputs/a.90.cubin" "$inputs/b.90.cubin" >"$work/images.$library" || failed=1
    sed "s/^/$library: /" "$work/images.$library"
  done
  if [ -n "$oracle" ]; then
    cmp -s "$work/images.culink" "$work/images.nvidia" && echo "Python clients: the same images" ||
      { echo "Python clients: the images DIFFER"; failed=1; }
  fi
  # A client of CUDA 12 asks for libnvJitLink.so.12, and gets the image that one of CUDA 13 gets.
  if environment "$environments/12" cuda-bindings==12.9.4; then
    LD_LIBRARY_PATH=$work/culink12 "$environments/12/bin/python" "$here/linker/jitlink/libnvjitlink/testdata/clients.py" \
      "$inputs/a.90.cubin" "$inputs/b.90.cubin" >"$work/images.12" || failed=1
    grep '^cuda-bindings' "$work/images.12" | sed 's/^/culink, libnvJitLink.so.12: /'
    [ "$(awk '/^cuda-bindings/ { print $4 }' "$work/images.12")" = "$(awk '/^cuda-bindings/ { print $4 }' "$work/images.culink")" ] ||
      { echo "libnvJitLink.so.12: the image DIFFERS"; failed=1; }
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
# The newest clients of the package index, whose names of the calls are those of a later release: the library behaves
# as the newest that it knows, and is compared with NVIDIA's of that release, where it stands beside CULINK_ORACLE. pip
# asks each time, so that a release of a client that breaks is seen.
newest=$environments/newest
if environment "$newest"; then
  "$newest/bin/python" -m pip install -q --disable-pip-version-check --retries 1 --timeout 15 --upgrade \
    cuda-bindings cuda-core numba-cuda cuda-cccl nvidia-cuda-nvrtc nvidia-cuda-runtime >"$work/log" 2>&1 ||
    echo "NOT RUN: newest clients: $(tail -1 "$work/log")"
  # cuda-cccl loads the driver's library, of which nothing is called where code is made ahead of time.
  nm -D --undefined-only "$newest"/lib/python3*/site-packages/cuda/compute/cu13/cccl/libcccl.c.parallel.so 2>"$work/log" |
    awk '$2 ~ /^cu[A-Z]/ { sub(/@.*/, "", $2); print "int " $2 "(void) { return 100; }" }' >"$work/driver.c"
  mkdir "$work/driver"
  "${CC:-cc}" -shared -fPIC -Wl,-soname,libcuda.so.1 "$work/driver.c" -o "$work/driver/libcuda.so.1"
  unset CULINK_TOOLKIT
  libraries=(culink)
  release=$(LD_LIBRARY_PATH=$work/culink "$newest/bin/python" -c 'from cuda.bindings import nvjitlink; print("%d.%d" % nvjitlink.version())')
  latest=$(ls -d ${oracle:+"$(dirname "$oracle")/oracle-$release".*} 2>/dev/null | tail -1)
  if [ -n "$latest" ]; then
    libraries+=(nvidia)
    export CULINK_PTXAS=$latest/bin/ptxas CULINK_LTO=$latest/lib/libnvJitLink.so.13
    ln -sfn "$latest/lib/libnvJitLink.so.13" "$work/nvidia/libnvJitLink.so.13"
  else
    unset CULINK_PTXAS
    echo "NOT RUN: comparison of the newest clients with NVIDIA's library of $release, and their intermediate code"
  fi
  for library in "${libraries[@]}"; do
    LD_LIBRARY_PATH=$work/$library:$work/driver "$newest/bin/python" "$here/linker/jitlink/libnvjitlink/testdata/clients.py" \
      "$inputs/a.90.cubin" "$inputs/b.90.cubin" >"$work/images.$library" || failed=1
    sed "s/^/$library, newest clients: /" "$work/images.$library"
  done
  if [ -n "$latest" ]; then
    cmp -s "$work/images.culink" "$work/images.nvidia" && echo "newest clients: the same images" ||
      { echo "newest clients: the images DIFFER"; failed=1; }
  fi
fi
[ -z "$failed" ]
