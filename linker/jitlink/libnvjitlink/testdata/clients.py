"""Links two cubins for sm_90 through each Python package that links with libnvJitLink, and prints a line for
each: package, version, size and SHA-256 of the image; or NOT RUN, and why. The caller says by LD_LIBRARY_PATH
which library is found. usage: clients.py CUBIN CUBIN"""

import hashlib
import importlib.metadata
import sys

inputs = [open(name, "rb").read() for name in sys.argv[1:]]


def bindings():
    from cuda.bindings import nvjitlink

    handle = nvjitlink.create(1, ["-arch=sm_90"])
    for i, data in enumerate(inputs):
        nvjitlink.add_data(handle, nvjitlink.InputType.CUBIN, data, len(data), f"input{i}")
    nvjitlink.complete(handle)
    image = bytearray(nvjitlink.get_linked_cubin_size(handle))
    nvjitlink.get_linked_cubin(handle, image)
    nvjitlink.destroy(handle)
    try:
        nvjitlink.create(1, ["-no-such-option"])
    except nvjitlink.nvJitLinkError as e:
        assert "UNRECOGNIZED_OPTION" in str(e), e
    else:
        raise AssertionError("no error for a bad option")
    return image


def core():
    from cuda.core import Linker, LinkerOptions, ObjectCode

    linker = Linker(*[ObjectCode.from_cubin(data) for data in inputs], options=LinkerOptions(arch="sm_90"))
    return linker.link("cubin").code


def numba():
    from numba.cuda.cudadrv import driver

    linker = driver._Linker(cc=(9, 0))
    for i, data in enumerate(inputs):
        linker.add_cubin(data, f"input{i}")
    return linker.complete().code


failed = False
for package, link in (("cuda-bindings", bindings), ("cuda-core", core), ("numba-cuda", numba)):
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        print(f"NOT RUN: {package} is not installed")
        continue
    try:
        image = bytes(link())
        print(package, version, len(image), hashlib.sha256(image).hexdigest())
    except Exception as e:  # a line for each package, whatever goes wrong
        print(package, version, f"FAILED: {type(e).__name__}: {e}")
        failed = True
sys.exit(failed)
