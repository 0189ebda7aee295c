#!/bin/bash
# make.sh TOOLKIT makes the inputs in in/ from the sources in src/. It uses the compilers of CUDA 13.0.88 in
# TOOLKIT/bin, and the programs as and ar of the system. The name of a file has the name of its source, its target and
# its kind.
set -euo pipefail
cd "$(dirname "$0")"
PATH=$(cd "$1" && pwd)/bin:$PATH
rm -rf in
mkdir in
cd src
for n in a b u; do
  for sm in 80 90 100; do nvcc -arch=sm_$sm -rdc=true -cubin $n.cu -o ../in/$n.$sm.cubin; done
  nvcc -arch=compute_90 -rdc=true -ptx $n.cu -o ../in/$n.ptx
  nvcc -gencode arch=compute_90,code=sm_90 -rdc=true -fatbin $n.cu -o ../in/$n.fatbin
  nvcc -gencode arch=compute_90,code=compute_90 -rdc=true -fatbin $n.cu -o ../in/$n.ptx.fatbin
  nvcc -gencode arch=compute_90,code=lto_90 -rdc=true -fatbin $n.cu -o ../in/$n.lto.fatbin
  nvcc -gencode arch=compute_90,code=lto_90 -rdc=true -ltoir $n.cu -o ../in/$n.ltoir
done
nvcc -gencode arch=compute_90,code=lto_90 -rdc=true -ltoir f.cu -o ../in/f.ltoir
nvcc -gencode arch=compute_90,code=lto_90 -rdc=true -fatbin -Xfatbin --compress-mode=none b.cu -o ../in/plain.lto.fatbin
nvcc -arch=sm_90 -rdc=true -cubin shared.cu -o ../in/shared.90.cubin
nvcc -arch=sm_90 -cubin b.cu -o ../in/exec.90.cubin
nvcc -gencode arch=compute_80,code=sm_80 -rdc=true -fatbin b.cu -o ../in/b80.fatbin
cd ../in
cp ../src/*.ptx .
object() { # FATBIN SECTION OBJECT
  cp "$1" code.fatbin
  sed "s/__nv_relfatbin/$2/" ../../../../corpus/sources/host.s | as -o "$3"
  rm code.fatbin
}
for n in a b u b80; do object $n.fatbin __nv_relfatbin $n.o; done
for n in a b u; do object $n.lto.fatbin __nv_relfatbin $n.lto.o; done
object b.fatbin .nv_fatbin whole.o
as ../src/plain.s -o host.o
archive() { ar rcsD "$@"; }
archive lib.a a.o b.o
archive libb.a b.o
archive libu.a u.o
archive other-first.a b80.o a.o
archive other-last.a a.o b80.o
printf 'hello world, this is not an input file of any kind but text of more than 56 bytes\n' >text.txt
archive text-first.a text.txt b.o
archive text-between.a b.o text.txt a.o
archive cubin-first.a b.90.cubin a.o
archive host-first.a host.o b.o
archive empty.a
archive nested.a b.o libb.a a.o
archive whole-first.a whole.o b.o
head -c 2000 lib.a >cut.a
printf '!<arch>\n' >magic.a
printf abc >short.txt
: >empty.txt
head -c 300 a.90.cubin >cut.cubin
head -c 700 b.fatbin >cut.fatbin
cat b.fatbin a.fatbin >two.fatbin
patch() { cp "$1" "$2" && printf "$4" | dd of="$2" bs=1 seek="$3" conv=notrunc status=none; }
patch b.fatbin version.fatbin 4 '\002'
patch b.90.cubin class32.cubin 4 '\001'
patch b.90.cubin machine.cubin 18 '\076'
patch b.90.cubin abi.cubin 8 '\011'
patch b.ltoir major.ltoir 4 '\002'
patch b.ltoir minor.ltoir 5 '\102'
patch b.ltoir last.ltoir 10 '\025'
head -c 23 b.ltoir >short.ltoir
patch plain.lto.fatbin major.lto.fatbin 140 '\002'
patch plain.lto.fatbin magic.lto.fatbin 136 '\000'
printf '\177ELF' >elf4
printf 'BC\300\336%060d' 0 >bitcode
printf '\120\355\125\272%060d' 0 >fatbin.version
