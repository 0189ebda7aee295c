#!/usr/bin/env bash
# Installs NVIDIA's CUDA command-line tools of release 13.0.88 from Python wheels. Recordings and live tests use them.
# No GPU or driver is needed. No file of NVIDIA may be committed.
#
#   install-oracle.sh DIR [RELEASE]
#
# DIR/bin then has nvcc, ptxas, nvlink, fatbinary, cuobjdump and nvdisasm. DIR/lib has the device runtime. The script
# fails if the wheels cannot be downloaded, or if they are not those of oracle-wheels.txt.
set -euo pipefail

dir=${1:?usage: install-oracle.sh DIR [RELEASE]}
release=${2:-13.0.88}
installed() { [ -x "$dir/bin/nvlink" ] && "$dir/bin/nvlink" --version | grep -qF "V$release"; }
if installed; then exit 0; fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sed "1,/^# release $release\$/d;/^# release /,\$d" "$(dirname "$0")/oracle-wheels.txt" >"$work/wheels.txt"
[ -s "$work/wheels.txt" ] || { echo "oracle-wheels.txt has no release $release" >&2; exit 1; }
python3 -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes --dest "$work/wheels" -r "$work/wheels.txt"
for wheel in "$work"/wheels/*.whl; do
  python3 -m zipfile -e "$wheel" "$work/tree"
done
mkdir -p "$dir"
cp -a "$work/tree/nvidia/cu13/." "$dir/"
# Wheels do not store the modes of files.
find "$dir/bin" "$dir/nvvm/bin" -type f -exec chmod +x {} +
installed
