"""Compiles kernels with Triton: triton_units.py SOURCES FOLDER TARGET. Triton chooses the letter of the target."""
import sys

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

_, folder, target = sys.argv[1:]


@triton.jit(noinline=True)
def helper(x, n):
    for _ in range(n):
        x = x * x + 1.5
    return x


@triton.jit
def k1_triton(p, q, n, size: tl.constexpr):
    at = tl.program_id(0) * size + tl.arange(0, size)
    x = tl.load(p + at, mask=at < n)
    total = helper(tl.sum(x), n)
    tl.store(q + at, tl.exp(x) * total, mask=at < n)
    tl.atomic_add(q, total)


@triton.jit
def k2_triton(p, q, r, size: tl.constexpr):
    at = tl.arange(0, size)
    a = tl.load(p + at[:, None] * size + at[None, :])
    b = tl.load(q + at[:, None] * size + at[None, :])
    tl.store(r + at[:, None] * size + at[None, :], tl.dot(a, b))


@triton.jit
def k3_triton(p, n, size: tl.constexpr):
    at = tl.arange(0, size)
    x = tl.sort(tl.load(p + at))
    tl.device_print("x", x)
    tl.store(p + at, tl.cumsum(x))


sources = {
    "k1": (k1_triton, {"p": "*fp32", "q": "*fp32", "n": "i32", "size": "constexpr"}, {(3,): 256}),
    "k2": (k2_triton, {"p": "*fp16", "q": "*fp16", "r": "*fp32", "size": "constexpr"}, {(3,): 64}),
    "k3": (k3_triton, {"p": "*fp32", "n": "i32", "size": "constexpr"}, {(2,): 128}),
}
for name, (kernel, signature, constants) in sources.items():
    for number, options in enumerate(({"num_warps": 4}, {"num_warps": 8, "num_stages": 1})):
        made = triton.compile(ASTSource(kernel, signature, constants), target=GPUTarget("cuda", int(target), 32), options=options)
        text = made.asm["ptx"]
        of = text.split(".target sm_")[1].split("\n")[0].split(",")[0].strip()
        for kind, data in ("ptx", text.encode()), ("cubin", made.asm["cubin"]):
            with open(f"{folder}/{name}-{number}.{of}.{kind}", "wb") as out:
                out.write(data)
