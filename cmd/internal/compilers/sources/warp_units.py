"""Compiles kernels with Warp, as PTX and as cubins: warp_units.py SOURCES FOLDER TARGET"""
import shutil
import sys

import warp as wp

_, folder, target = sys.argv[1:]
wp.config.quiet = True


@wp.struct
class Pair:
    x: float
    n: int


@wp.func
def helper(v: Pair) -> float:
    x = v.x
    for i in range(v.n):
        x = wp.sin(x) + float(i)
    return x


@wp.kernel
def k1_warp(a: wp.array(dtype=float), n: int):
    i = wp.tid()
    v = Pair()
    v.x = a[i]
    v.n = n
    a[i] = helper(v)
    if n < 0:
        wp.printf("k1_warp %d\n", n)


@wp.kernel
def k2_warp(a: wp.array(dtype=wp.mat33), b: wp.array(dtype=wp.vec3)):
    i = wp.tid()
    b[i] = wp.inverse(a[i]) * b[i]
    wp.atomic_add(b, 0, b[i])


for number, options in enumerate(({}, {"lineinfo": True}, {"mode": "debug"}, {"enable_backward": False, "fast_math": True})):
    wp.set_module_options(options)
    for kind, as_ptx in ("ptx", True), ("cubin", False):
        for file in wp.compile_aot_module(sys.modules["__main__"], arch=int(target), module_dir=folder + "/work", use_ptx=as_ptx, strip_hash=True):
            data = file.read_bytes()
            with open(f"{folder}/unit-{number}.{target}.{kind}", "wb") as out:
                out.write(data.rstrip(b"\0") if as_ptx else data)  # Warp's PTX ends with a zero byte
        shutil.rmtree(folder + "/work", ignore_errors=True)
