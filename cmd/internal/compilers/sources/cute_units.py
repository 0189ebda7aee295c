"""Compiles kernels with the CuTe DSL, as PTX and as cubins: cute_units.py SOURCES FOLDER TARGET"""
import glob
import os
import shutil
import sys

_, folder, target = sys.argv[1:]
work = os.path.join(folder, "work")
os.makedirs(work)
os.environ.update(CUTE_DSL_ARCH="sm_" + target, CUTE_DSL_KEEP_PTX="1", CUTE_DSL_KEEP_CUBIN="1", CUTE_DSL_DUMP_DIR=work)

import cutlass  # noqa: E402 (it reads the environment)
import cutlass.cute as cute  # noqa: E402
from cutlass.cute.runtime import make_fake_compact_tensor  # noqa: E402


@cute.kernel
def k1_cute(a: cute.Tensor, n: cutlass.Int32):
    thread, _, _ = cute.arch.thread_idx()
    a[thread] = a[thread] * 2.0
    if n < 0:
        cute.printf("k1_cute %d", n)


@cute.kernel
def k2_cute(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    thread, _, _ = cute.arch.thread_idx()
    window = cutlass.utils.SmemAllocator().allocate_tensor(cutlass.Float32, cute.make_layout(64), 16)
    window[thread] = a[thread]
    cute.arch.sync_threads()
    b[thread] = cute.exp(window[n])


@cute.jit
def launch1(a: cute.Tensor, n: cutlass.Int32):
    k1_cute(a, n).launch(grid=(1, 1, 1), block=(32, 1, 1))


@cute.jit
def launch2(a: cute.Tensor, b: cute.Tensor, n: cutlass.Int32):
    k2_cute(a, b, n).launch(grid=(1, 1, 1), block=(64, 1, 1))


tensor = make_fake_compact_tensor(cutlass.Float32, (128,))
for name, launch, arguments in ("k1", launch1, (tensor,)), ("k2", launch2, (tensor, tensor)):
    cute.compile(launch, *arguments, cutlass.Int32(3))
    for kind in "ptx", "cubin":
        (file,) = glob.glob(f"{work}/*.{kind}")
        shutil.move(file, f"{folder}/{name}.{target}.{kind}")
shutil.rmtree(work)
