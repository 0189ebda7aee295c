#!/usr/bin/env bash
# cuda-bindings 13.5.0 accepts nvidia-nvjitlink 13.0.88, but its new functions fail when they are called.
#
# get_linked_ltoir exists from libnvJitLink 13.2 on. The package does not require a library with this function, and
# hasattr returns true for it with any library.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
kernel 80
toolkit 13.0.88
"${bin[13.0.88]}/ptxas" -c -arch=sm_80 k.ptx -o k.cubin
python3 -m venv env
env/bin/pip install --quiet --disable-pip-version-check cuda-bindings==13.5.0 nvidia-nvjitlink==13.0.88
seen "pip check" "No broken requirements found." "$(env/bin/pip check)"
cat >ask.py <<'PY'
from cuda.bindings import nvjitlink

print("version", *nvjitlink.version())
print("hasattr", hasattr(nvjitlink, "get_linked_ltoir_size"))
handle = nvjitlink.create(1, ["-arch=sm_80"])
nvjitlink.add_file(handle, nvjitlink.InputType.CUBIN, "k.cubin")
nvjitlink.complete(handle)
print("cubin", nvjitlink.get_linked_cubin_size(handle) > 0)
try:
    print("ltoir", nvjitlink.get_linked_ltoir_size(handle))
except Exception as e:
    print("ltoir", type(e).__name__)
PY
seen "one link" "version 13 0; hasattr True; cubin True; ltoir FunctionNotFoundError" "$(env/bin/python ask.py | paste -sd';' | sed 's/;/; /g')"
finish
