#!/usr/bin/env bash
# Links what compilers of 13.4 and 13.5 put code into, with nvlink of four releases and with culink, and compares exit
# status, messages and outputs: fat binaries of fatbinary's options, objects and archives of nvcc's, and the device
# libraries of the package index (libnvshmem_device.a of both majors).
#
#   containers.sh
#
# CULINK_ORACLE names the tools of 13.0.88; those of 13.2.86, 13.4.92 and 13.5.37 stand in folders beside it. Needs Go and a
# C compiler. A library that cannot be downloaded is a line NOT RUN.
set -euo pipefail
here=$(realpath "$(dirname "$0")/..")
oracle=$(realpath "$CULINK_ORACLE")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
go build -C "$here" -o "$work/bin/nvlink" ./cmd/culink
cd "$work"
releases=(13.0.88 13.2.86 13.4.92 13.5.37)
links=0 differing=0

folder() { echo "$(dirname "$oracle")/oracle-$1"; }

# compare SM WORD... links for one target with each release.
compare() {
  local sm=$1 release tool
  shift
  for release in "${releases[@]}"; do
    tool=$(folder "$release")/bin
    rm -f out.cubin real.cubin
    real=$("$tool/nvlink" "-arch=sm_$sm" "$@" -o out.cubin 2>&1) && realstatus=0 || realstatus=$?
    [ ! -e out.cubin ] || mv out.cubin real.cubin
    ours=$(CULINK_PTXAS=$tool/ptxas bin/nvlink --toolkit "$release" "-arch=sm_$sm" "$@" -o out.cubin 2>&1) && status=0 || status=$?
    links=$((links + 1))
    if [ "$real" != "$ours" ] || [ $realstatus != $status ] || { [ -e real.cubin ] || [ -e out.cubin ]; } && ! cmp -s real.cubin out.cubin; then
      differing=$((differing + 1))
      echo "DIFFERS: $release sm_$sm $*: $realstatus and $status"
    fi
  done
}

# The sources: a kernel and what it calls.
cat >k.cu <<'CU'
extern __device__ int far(int);
__device__ int table[4] = {1, 2, 3, 4};
__global__ void k(int *p) { p[threadIdx.x] = far(p[0]) + table[threadIdx.x & 3]; }
CU
cat >h.cu <<'CU'
extern __device__ int table[4];
__device__ int far(int x) { return x * 3 + table[x & 3]; }
CU

for maker in 13.4.92 13.5.37; do
  bin=$(folder $maker)/bin
  nvcc=("$bin/nvcc" -I"$(folder $maker)/include" -I"$oracle/include" -rdc=true)
  for f in k h; do
    for sm in 90 100 100f 120; do "${nvcc[@]}" -arch=sm_$sm -cubin $f.cu -o $f.$sm.cubin; done
    "${nvcc[@]}" -arch=compute_90 -ptx $f.cu -o $f.90.ptx
  done
  for options in "" "-compress-mode=size" "-compress-all -compress-mode=speed" "-ident a.cu" "-g" "-cmdline -O1" "-concat" \
    "-concat -ident some/file.cu" "-concat -compress-mode=size" "-concat -compress-mode=balance -g" "-concat -cmdline -O1"; do
    for images in "90 100 120" "100f 120" "ptx 100"; do
      for f in k h; do
        list=()
        for image in $images; do
          case $image in
            ptx) list+=(-image3=kind=ptx,sm=90,file=$f.90.ptx) ;;
            *) list+=(-image3=kind=elf,sm=$image,file=$f.$image.cubin) ;;
          esac
        done
        # The words of $options are arguments.
        # shellcheck disable=SC2086
        "$bin/fatbinary" -64 $options -create $f.fatbin "${list[@]}"
      done
      for sm in 90 100; do compare $sm k.fatbin h.fatbin; done
    done
  done
  both=(-gencode "arch=compute_90,code=[sm_90,compute_90]" -gencode arch=compute_100,code=sm_100)
  for options in "" -lineinfo -G --no-compress --compress-mode=size --concat "--concat -lineinfo" "--concat -G" "--concat --compress-mode=size"; do
    # shellcheck disable=SC2086
    for f in k h; do "${nvcc[@]}" -dc "${both[@]}" $options $f.cu -o $f.o; done
    rm -f libh.a
    ar rcD libh.a h.o
    for sm in 90 100; do compare $sm k.o h.o; compare $sm k.o libh.a; compare $sm -r k.o h.o; done
  done
done
rm -f -- *.o

# A program of ours that calls functions of NVSHMEM. The library for CUDA 12 has machine code up to sm_90; code for sm_100 and
# later has other schedules than nvlink's from 13.1 on (E-422).
cat >program.cu <<'CU'
enum threadgroup_t { one };
extern "C" __device__ void nvshmem_global_exit(int);
template <threadgroup_t> __device__ void nvshmemi_transfer_quiet(bool, int, int *, int);
template <threadgroup_t> __device__ void nvshmemi_transfer_fence(int, int *, int);
extern template __device__ void nvshmemi_transfer_quiet<one>(bool, int, int *, int);
extern template __device__ void nvshmemi_transfer_fence<one>(int, int *, int);
__global__ void program(int *p) {
  nvshmemi_transfer_quiet<one>(p[0], p[1], p + 2, p[2]);
  nvshmemi_transfer_fence<one>(p[3], p + 4, p[5]);
  if (p[6]) nvshmem_global_exit(p[7]);
}
CU
for major in 13 12; do
  if ! python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest wheels "nvidia-nvshmem-cu$major==3.8.0"; then
    echo "NOT RUN: nvidia-nvshmem-cu$major cannot be downloaded"
    continue
  fi
  python3 -m zipfile -e wheels/nvidia_nvshmem_cu$major-*.whl wheels/$major
  targets=(90)
  [ $major = 12 ] || targets+=(100 120)
  for sm in "${targets[@]}"; do
    "$oracle/bin/nvcc" -I"$oracle/include" -rdc=true -arch=sm_$sm -cubin program.cu -o program.cubin
    releases=(13.0.88)
    [ $sm != 90 ] || releases+=(13.2.86 13.4.92 13.5.37)
    compare $sm program.cubin wheels/$major/nvidia/nvshmem/lib/libnvshmem_device.a
  done
done

echo "$links links, $differing differ"
[ $differing = 0 ]
