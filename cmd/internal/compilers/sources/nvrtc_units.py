"""Compiles leaf.cu, mid.cu and kernel.cu with NVRTC, as PTX and as cubins: nvrtc_units.py SOURCES FOLDER TARGET"""
import ctypes
import glob
import os
import sys

sources, folder, target = sys.argv[1:]


def load(pattern):
    (library,) = [file for path in sys.path for file in glob.glob(f"{path}/nvidia/*/lib/{pattern}")]
    return ctypes.CDLL(library, ctypes.RTLD_GLOBAL)


load("libnvrtc-builtins.so.*.*")  # NVRTC would search it elsewhere
nvrtc = load("libnvrtc.so.1?")


def must(status, program=None):
    if status:
        raise SystemExit(f"NVRTC fails with {status}: {log(program)}")


def get(kind, program):
    size = ctypes.c_size_t()
    must(getattr(nvrtc, f"nvrtcGet{kind}Size")(program, ctypes.byref(size)))
    data = ctypes.create_string_buffer(size.value)
    must(getattr(nvrtc, "nvrtcGet" + kind)(program, data))
    return data.raw


def log(program):
    return get("ProgramLog", program).decode() if program else ""


def read(name):
    with open(os.path.join(sources, name), "rb") as file:
        return file.read()


variants = ((), ("-G",), ("-lineinfo",), ("--maxrregcount=24", "-use_fast_math"), ("--device-debug", "-dopt=on"))
for unit in "leaf", "mid", "kernel":
    for number, options in enumerate(variants):
        for kind, arch, get_kind in ("ptx", "compute_", "PTX"), ("cubin", "sm_", "CUBIN"):
            program = ctypes.c_void_p()
            header, name = (ctypes.c_char_p * 1)(read("device.h")), (ctypes.c_char_p * 1)(b"device.h")
            must(nvrtc.nvrtcCreateProgram(ctypes.byref(program), read(unit + ".cu"), (unit + ".cu").encode(), 1, header, name))
            words = [f"-arch={arch}{target}", "-rdc=true", "-DMAKER=nvrtc", *options]
            must(nvrtc.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*(w.encode() for w in words))), program)
            data = get(get_kind, program)
            with open(f"{folder}/{unit}-{number}.{target}.{kind}", "wb") as out:
                out.write(data.rstrip(b"\0") if kind == "ptx" else data)
