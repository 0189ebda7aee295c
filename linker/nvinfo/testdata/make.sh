#!/bin/sh
# Compiles the sources of this folder with the tools of $CULINK_ORACLE/bin.
set -e
cd "$(dirname "$0")"
PATH=$CULINK_ORACLE/bin:$PATH
cu() { name=$1 source=$2 arch=$3; shift 3; nvcc -arch=sm_$arch -rdc=true -cubin "$@" -o $name.$arch.cubin $source.cu; }
cu sync sync 80
cu sync sync 90
cu cluster cluster 90
cu block block 90 -std=c++17
cu plain plain 90
cu plain plain 100
cu debug plain 80 -G
cu calls calls 90
cu only calls 90 -DONLY
cu protected plain 80 -lineinfo -Xptxas -device-stack-protector=true
for f in branch.75 texture.80 tensorcore.80; do ptxas -c -arch=sm_${f#*.} -o $f.cubin ${f%.*}.ptx; done
