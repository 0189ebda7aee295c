#!/usr/bin/env bash
# libnvshmem_device.a of nvidia-nvshmem-cu13 3.8.0 was compiled by ptxas 13.0.100, which the package index does not
# have.
#
# So nobody else can compile its contents again. The notes of its objects name the compiler.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
install nvidia-nvshmem-cu13==3.8.0
library=$(find "$tree" -name libnvshmem_device.a)
install nvidia-cuda-cuobjdump==13.5.37
cuobjdump=$(find "$tree" -name cuobjdump -type f)
"$cuobjdump" -xelf sm_90 "$library" >/dev/null
seen "compilers of the code for sm_90" "V13.0.100" "$(strings -a ./*.cubin | grep -oE 'V1[0-9]\.[0-9]+\.[0-9]+' | sort -u | paste -sd' ')"
if python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest none nvidia-cuda-nvcc==13.0.100 >said 2>&1; then published=yes; else published=no; fi
seen "nvidia-cuda-nvcc 13.0.100 is in the index" no $published
finish
