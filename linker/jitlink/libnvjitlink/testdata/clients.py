"""Links two cubins for sm_90, and intermediate code, through each Python package that links with libnvJitLink, and
prints a line for each: package, version, size and SHA-256 of the image; or NOT RUN, and why. The caller says by
LD_LIBRARY_PATH which library is found. Intermediate code needs CULINK_PTXAS. usage: clients.py CUBIN CUBIN"""

import hashlib
import importlib.metadata
import os
import struct
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


def pieces():
    """Two pieces of intermediate code."""
    from cuda.core import Program, ProgramOptions

    options = ProgramOptions(arch="sm_90", link_time_optimization=True, relocatable_device_code=True)
    code = [
        "__device__ int f(int x) { return 3 * x; }",
        "extern __device__ int f(int); extern \"C\" __global__ void k(int *p) { *p = f(*p); }",
    ]
    return [Program(text, "c++", options).compile("ltoir") for text in code]


def core_lto():
    from cuda.core import Linker, LinkerOptions

    return Linker(*pieces(), options=LinkerOptions(arch="sm_90", link_time_optimization=True)).link("cubin").code


def compute():
    """A reduction, ahead of time. The names of NVRTC change from run to run, so that names and symbols do not count."""
    import numpy
    from cuda.compute import OpKind, ProxyArray, ProxyValue, make_reduce_into

    data = ProxyArray(numpy.int32)
    built = make_reduce_into(d_in=data, d_out=data, op=OpKind.PLUS, h_init=ProxyValue(numpy.int32), compute_capability=90).serialize()
    image = built[built.index(b"\x7fELF\x02\x01"):]
    (table,), (count, names) = struct.unpack_from("<Q", image, 40), struct.unpack_from("<HH", image, 60)
    headers = [struct.unpack_from("<IIQQQQIIQQ", image, table + 64 * i) for i in range(count)]
    kept = b""
    for name, kind, _, _, offset, size, *_ in headers:
        name = image[headers[names][4] + name:].split(b"\0", 1)[0]
        if name in (b".strtab", b".symtab"):
            continue
        kept += name + struct.pack("<Q", size)
        if kind != 8:  # SHT_NOBITS
            kept += image[offset:offset + size]
    return kept


def numba():
    from numba.cuda.cudadrv import driver

    linker = driver._Linker(cc=(9, 0))
    for i, data in enumerate(inputs):
        linker.add_cubin(data, f"input{i}")
    return linker.complete().code


def optimised(driver):
    linker = driver._Linker(cc=(9, 0), lto=True)
    for i, piece in enumerate(pieces()):
        linker.add_ltoir(piece.code, f"piece{i}")
    return linker.complete().code


def numba_lto():
    from numba.cuda.cudadrv import driver

    return optimised(driver)


def numba_mlir():
    from numba_cuda_mlir.numba_cuda.cudadrv import driver

    return optimised(driver)


failed = False
for package, link in (
    ("cuda-bindings", bindings), ("cuda-core", core), ("cuda-core", core_lto), ("numba-cuda", numba), ("numba-cuda", numba_lto),
    ("numba-cuda-mlir", numba_mlir), ("cuda-cccl", compute),
):
    try:
        version = importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        print(f"NOT RUN: {package} is not installed")
        continue
    if link in (core_lto, numba_lto, numba_mlir, compute) and "CULINK_PTXAS" not in os.environ:
        print(f"NOT RUN: {package} with intermediate code: CULINK_PTXAS is not set")
        continue
    try:
        image = bytes(link())
        print(package, version, len(image), hashlib.sha256(image).hexdigest())
    except Exception as e:  # a line for each package, whatever goes wrong
        print(package, version, f"FAILED: {type(e).__name__}: {e}")
        failed = True
sys.exit(failed)
