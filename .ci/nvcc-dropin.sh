#!/usr/bin/env bash
# Builds programs with nvcc, and with CMake, with culink in the place of nvlink, and compares every link that
# they make with what nvlink makes of it: bytes of the cubin, registration file, messages, exit status.
#
#   nvcc-dropin.sh [SCENARIO...]
#
# Needs CULINK_ORACLE, an installed toolkit (install-oracle.sh), and g++; the CMake scenario needs cmake and ninja.
# nvcc looks for nvlink beside itself, so it runs from a shadow of the toolkit: links to all its files, and our
# nvlink. That is a script which runs both linkers; the build goes on with what culink wrote.
set -euo pipefail

oracle=$(realpath "${CULINK_ORACLE:?names no toolkit}")
here=$(realpath "$(dirname "$0")/..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

shadow=$work/toolkit
mkdir -p "$shadow/bin" "$work/culink"
ln -s "$oracle"/bin/* "$shadow/bin/"
rm "$shadow/bin/nvlink"
ln -s "$oracle"/{include,lib} "$shadow/"
ln -s lib "$shadow/lib64"
# nvcc -dlto names the folder of nvvm, in which a toolkit, but not its wheels, has the library.
mkdir -p "$shadow/nvvm/lib64"
ln -s "$oracle"/nvvm/{bin,libdevice} "$shadow/nvvm/"
ln -s "$oracle/lib/libnvvm.so.4" "$shadow/nvvm/lib64/libnvvm.so"
(cd "$here" && go build -o "$work/culink/nvlink" ./cmd/culink && go build -o "$work/culink/culink-lto" ./cmd/culink-lto)

# The two linkers see the same words but for the paths of their outputs, which have the same last parts.
cat >"$shadow/bin/nvlink" <<END
#!/usr/bin/env bash
oracle=$oracle/bin/nvlink culink=$work/culink/nvlink log=$work/links
END
cat >>"$shadow/bin/nvlink" <<'END'
export PATH="${culink%/*}:$PATH"
theirs=$(mktemp -d)
args=() outputs=() next=
move() { # gives the path of the reference's output
  outputs+=("$1")
  moved=$theirs/$1
  mkdir -p "${moved%/*}"
}
for word; do
  case $next$word in
    output*) move "$word"; word=$moved ;;
    -o | --output-file | --register-link-binaries) args+=("$word"); next=output; continue ;;
    -o=* | --output-file=* | --register-link-binaries=*) move "${word#*=}"; word=${word%%=*}=$moved ;;
  esac
  next=
  args+=("$word")
done
(exec -a nvlink "$oracle" "${args[@]}") >"$theirs/stdout" 2>"$theirs/stderr"
want=$?
"$culink" "$@" >"$theirs/stdout.culink" 2>"$theirs/stderr.culink"
got=$?
verdict=
differ() { verdict+="DIFFERENT $1 "; }
for o in "${outputs[@]}"; do
  [ -e "$theirs/$o" ] || [ -e "$o" ] || continue
  cmp -s "$theirs/$o" "$o" || differ "output $o"
done
cmp -s "$theirs/stdout" "$theirs/stdout.culink" || [[ " $* " = *" --version "* ]] || differ stdout
cmp -s "$theirs/stderr" "$theirs/stderr.culink" || differ "stderr: $(head -c 300 "$theirs/stderr.culink" | tr '\n' '/')"
[ $want = $got ] || differ "exit status $got, want $want"
echo "${verdict:-same}: nvlink $*" >>"$log"
cat "$theirs/stdout.culink"
cat "$theirs/stderr.culink" >&2
rm -rf "$theirs"
exit $got
END
chmod +x "$shadow/bin/nvlink"
export PATH="$shadow/bin:$PATH"
nvcc=$shadow/bin/nvcc

sources() {
  cat >a.cu <<'END'
#include <cstdio>
extern __device__ int total;
extern __device__ int step(int);
extern __constant__ int table[4];
__global__ void run(int *p) { p[threadIdx.x] = step(p[threadIdx.x]) + total + table[threadIdx.x & 3]; }
int main() {
  int *p = nullptr;
  run<<<1, 32>>>(p);
  printf("%d\n", (int)cudaGetLastError());
}
END
  cat >b.cu <<'END'
__device__ int total = 7;
__constant__ int table[4] = {1, 2, 3, 4};
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int step(int x) {
  __shared__ int s[8];
  s[x & 7] = x;
  __syncthreads();
  return s[(x + 1) & 7] + twice(x);
}
__global__ void unused(float *p) { *p *= 2; }
END
}
both="-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90"
todays="-gencode arch=compute_100,code=sm_100 -gencode arch=compute_120,code=sm_120"

# Each scenario runs in a folder of its own, with the sources.
executable() { $nvcc -rdc=true -arch=sm_90 a.cu b.cu -o app -L"$shadow/lib"; ./app || true; }
objects() { $nvcc -arch=sm_80 -dc a.cu b.cu && $nvcc -arch=sm_80 a.o b.o -o app -L"$shadow/lib"; }
dlink() { $nvcc -arch=sm_90 -dc a.cu b.cu && $nvcc -arch=sm_90 -dlink a.o b.o -o d.o && g++ a.o b.o d.o -o app -L"$shadow/lib" -lcudart_static -lrt -lpthread -ldl; }
dlink_cubin() { $nvcc -arch=sm_90 -dc a.cu b.cu && $nvcc -arch=sm_90 -dlink -cubin a.o b.o -o d.cubin; }
dlink_fatbin() { $nvcc $both -dc a.cu b.cu && $nvcc $both -dlink -fatbin a.o b.o -o d.fatbin; }
shared() { $nvcc -rdc=true -arch=sm_90 -Xcompiler -fPIC -shared a.cu b.cu -o libapp.so -L"$shadow/lib"; }
debug() { $nvcc -rdc=true -arch=sm_90 -G a.cu b.cu -o app -L"$shadow/lib"; }
lineinfo() { $nvcc -rdc=true -arch=sm_90 -lineinfo a.cu b.cu -o app -L"$shadow/lib"; }
several_archs() { $nvcc -rdc=true $both -gencode arch=compute_90,code=compute_90 a.cu b.cu -o app -L"$shadow/lib"; }
mercury() { $nvcc -rdc=true $todays a.cu b.cu -o app -L"$shadow/lib"; }
mercury_debug() { $nvcc -rdc=true $todays -G a.cu b.cu -o app -L"$shadow/lib"; }
static_library() { $nvcc -arch=sm_90 -dc a.cu b.cu && $nvcc -arch=sm_90 -lib b.o -o libb.a && $nvcc -arch=sm_90 a.o -L. -lb -o app -L"$shadow/lib"; }
static_archive() { $nvcc -arch=sm_89 -dc a.cu b.cu && ar rc libb.a b.o && $nvcc -arch=sm_89 a.o libb.a -o app -L"$shadow/lib"; }
# Without shared memory in a function: nvlink -r settles its address, and the link after it gives it none (E-345).
relocatable() {
  cat >b.cu <<'END'
__device__ int total = 7;
__constant__ int table[4] = {1, 2, 3, 4};
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int step(int x) { return x + twice(x ^ 1); }
END
  $nvcc -arch=sm_90 -dc a.cu b.cu && nvlink -arch=sm_90 -r a.o b.o -o r.cubin && nvlink -arch=sm_90 r.cubin -o e.cubin
}
registers() { $nvcc -rdc=true -arch=sm_90 -maxrregcount=32 -Xnvlink -v a.cu b.cu -o app -L"$shadow/lib"; }
dynamic_parallelism() {
  cat >c.cu <<'END'
__global__ void child(int *p) { *p = 1; }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
int main() { parent<<<1, 1>>>(nullptr); }
END
  $nvcc -rdc=true -arch=sm_90 c.cu -o app -L"$shadow/lib" -lcudadevrt
}
undefined() { ! $nvcc -rdc=true -arch=sm_90 a.cu -o app -L"$shadow/lib"; }
duplicate() { $nvcc -arch=sm_90 -dc a.cu b.cu && cp b.o c.o && ! $nvcc -arch=sm_90 a.o b.o c.o -o app -L"$shadow/lib"; }
host_linker_script() { $nvcc -hls=gen-lcs -o host.ld && [ -s host.ld ]; }
inline_constants() { # copies that become one
  for k in first second; do
    cat >$k.cu <<END
inline __constant__ int table[4] = {1, 2, 3, 4};
__global__ void $k(int *p) { *p = table[*p & 3]; }
void launch_$k(int *p) { $k<<<1, 1>>>(p); }
END
  done
  $nvcc $both $todays -dc first.cu second.cu && $nvcc $both $todays -dlink first.o second.o -o d.o
}
incremental() { # what one device link has done is left out of the next
  echo '__device__ int lone; __global__ void alone(int *p) { *p = lone; } void launch(int *p) { alone<<<1, 1>>>(p); }' >i.cu
  $nvcc -arch=sm_90 -dc a.cu b.cu i.cu && $nvcc -arch=sm_90 -dlink i.o -o di.o && $nvcc -arch=sm_90 -dlink a.o b.o i.o di.o -o d.o
}
# Link-time optimisation: a whole program, a part of one, several targets, a library, dynamic parallelism.
lto() { $nvcc -dlto -rdc=true -arch=sm_90 a.cu b.cu -o app -L"$shadow/lib"; ./app || true; }
lto_fast_math() { $nvcc -dlto -arch=sm_80 -use_fast_math -lineinfo -maxrregcount=32 -dc a.cu b.cu && $nvcc -dlto -arch=sm_80 a.o b.o -o app -L"$shadow/lib"; }
lto_partial() { $nvcc -arch=lto_90 -dc a.cu && $nvcc -arch=sm_90 -dc b.cu && $nvcc -dlto -arch=sm_90 a.o b.o -o app -L"$shadow/lib"; }
lto_archs() { # one object for several targets
  $nvcc -gencode arch=compute_80,code=lto_80 -gencode arch=compute_90,code=lto_90 -dc a.cu b.cu && for t in sm_80 sm_90; do $nvcc -dlto -arch=$t -dlink a.o b.o -o d$t.o; done
}
lto_jit_archs() { # one intermediate code for all later targets
  $nvcc -arch=lto_75 -dc a.cu b.cu && for t in sm_80 sm_90a sm_100 sm_121; do $nvcc -dlto -arch=$t -dlink a.o b.o -o d$t.o; done
}
lto_library() { $nvcc -dlto -arch=sm_90 -dc a.cu b.cu && $nvcc -arch=sm_90 -lib b.o -o libb.a && $nvcc -dlto -arch=sm_90 a.o -L. -lb -o app -L"$shadow/lib"; }
lto_dynamic_parallelism() {
  cat >c.cu <<'END'
__global__ void child(int *p) { *p = 1; }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
int main() { parent<<<1, 1>>>(nullptr); child<<<1, 1>>>(nullptr); }
END
  $nvcc -dlto -rdc=true -arch=sm_90 c.cu -o app -L"$shadow/lib" -lcudadevrt
}
lto_undefined() { ! $nvcc -dlto -rdc=true -arch=sm_90 a.cu -o app -L"$shadow/lib"; }
cmake_lto() {
  cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(dropin LANGUAGES CXX CUDA)
add_library(device STATIC b.cu)
add_executable(app a.cu)
target_link_libraries(app PRIVATE device)
set_target_properties(device app PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON INTERPROCEDURAL_OPTIMIZATION ON)
END
  cmake -G Ninja -B build -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES="80;90" && cmake --build build -v && grep -q dlto build/build.ninja
}
cmake_separable() {
  cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(dropin LANGUAGES CXX CUDA)
add_library(device STATIC b.cu)
set_target_properties(device PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON)
add_executable(app a.cu)
set_target_properties(app PROPERTIES CUDA_SEPARABLE_COMPILATION ON)
target_link_libraries(app PRIVATE device)
add_library(plugin SHARED a.cu)
set_target_properties(plugin PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_RESOLVE_DEVICE_SYMBOLS ON)
target_link_libraries(plugin PRIVATE device)
END
  cmake -G Ninja -B build -DCMAKE_CUDA_COMPILER="$nvcc" -DCMAKE_CUDA_ARCHITECTURES="80;90" && cmake --build build
}
scenarios=(executable objects dlink dlink_cubin dlink_fatbin shared debug lineinfo several_archs mercury mercury_debug static_library
  static_archive relocatable registers dynamic_parallelism undefined duplicate host_linker_script inline_constants incremental
  lto lto_fast_math lto_partial lto_archs lto_jit_archs lto_library lto_dynamic_parallelism lto_undefined
  cmake_separable cmake_lto)

failed=0
for s in "${@:-${scenarios[@]}}"; do
  if [[ $s = cmake_* ]] && ! { command -v cmake && command -v ninja; } >/dev/null; then
    echo "skipped   $s: needs cmake and ninja"
    continue
  fi
  mkdir -p "$work/$s"
  : >"$work/links"
  if (cd "$work/$s" && sources && $s) >"$work/$s.out" 2>&1; then built=built; else built="NOT BUILT"; fi
  links=$(wc -l <"$work/links") different=$(grep -vc '^same' "$work/links" || true)
  printf '%-9s %s: %d links, %d different\n' "$built" "$s" "$links" "$different"
  if [ "$built" != built ] || [ "$different" -gt 0 ] || [ "$links" -eq 0 ]; then
    failed=1
    grep -v '^same' "$work/links" | cut -c1-1000 | sed 's/^/    /' || true
    [ "$built" = built ] || tail -n 20 "$work/$s.out" | sed 's/^/    /'
  fi
done
exit $failed
