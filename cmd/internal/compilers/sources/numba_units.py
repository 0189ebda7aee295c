"""Compiles functions of mid.cu and two kernels with numba-cuda: numba_units.py SOURCES FOLDER TARGET"""
import math
import sys

import numpy as np
from numba import cuda, float32, int32
from numba.types import CPointer

_, folder, target = sys.argv[1:]
cc = divmod(int(target), 10)
table = np.array([3, 1, 4, 1, 5], dtype=np.int32)
leaf_add = cuda.declare_device("leaf_add", "int32(int32, int32)")  # numba's own convention, so it is never that of leaf.cu


def mid_call(which, a, b):
    local = cuda.local.array(4, int32)
    for i in range(4):
        local[i] = a + i
    return int32(local[which & 3] * b)


def mid_mix(x, i):
    return float32(math.sin(x) + math.exp(x) * i)


def mid_sum(p, n):
    total = int32(0)
    for i in range(n):
        total += p[i]
    return int32(total)


def k1(p, n):
    window = cuda.shared.array(32, int32)
    window[cuda.threadIdx.x & 31] = p[n]
    cuda.syncthreads()
    p[cuda.threadIdx.x] = window[n] + cuda.const.array_like(table)[n]
    cuda.atomic.add(p, 0, 1)
    if n < 0:
        print("k1", n)


def k2(p, n):
    dynamic = cuda.shared.array(0, float32)
    dynamic[cuda.threadIdx.x] = p[n]
    cuda.syncthreads()
    p[0] = dynamic[n] * n


def k3(p, n):
    p[0] = leaf_add(p[0], n)


functions = {
    "call": (mid_call, int32(int32, int32, int32)),
    "mix": (mid_mix, float32(float32, int32)),
    "sum": (mid_sum, int32(CPointer(int32), int32)),
}
kernels = {"k1": (k1, (int32[::1], int32)), "k2": (k2, (float32[::1], int32)), "k3": (k3, (int32[::1], int32))}
for number, options in enumerate(({}, {"lineinfo": True}, {"debug": True, "opt": False}, {"fastmath": True})):
    made = {}
    for name, (function, signature) in functions.items() if "debug" not in options else ():  # it has no exceptions in C's convention
        made[name] = cuda.compile(function, signature, device=True, abi="c", abi_info={"abi_name": "mid_" + name}, cc=cc, output="ptx", **options)
    for name, (function, signature) in kernels.items():
        made[name] = cuda.compile(function, signature, cc=cc, output="ptx", **options)
    for name, (ptx, _) in made.items():
        with open(f"{folder}/{name}-{number}.{target}.ptx", "w") as out:
            out.write(ptx)
