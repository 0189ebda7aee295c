; The functions of leaf.cu as intermediate code of LLVM, and a kernel with weak, internal and common definitions.
target triple = "nvptx64-nvidia-cuda"

@leaf_table = addrspace(1) global [16 x i32] [i32 1, i32 2, i32 4, i32 8, i32 16, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0, i32 0], align 4
@factors = internal addrspace(4) constant [4 x float] [float 1.5, float 2.5, float 3.5, float 4.5], align 4
@window = internal addrspace(3) global [64 x i32] undef, align 4
@weak_count = weak addrspace(1) global i32 3, align 4
@where = addrspace(1) global ptr addrspacecast (ptr addrspace(1) @leaf_table to ptr), align 8

define i32 @leaf_add(i32 %a, i32 %b) {
  %count = load i32, ptr addrspace(1) @weak_count
  %more = add i32 %count, %a
  store i32 %more, ptr addrspace(1) @weak_count
  %sum = add i32 %more, %b
  ret i32 %sum
}

define float @leaf_scale(float %x, i32 %i) {
  %index = and i32 %i, 3
  %at = getelementptr [4 x float], ptr addrspace(4) @factors, i32 0, i32 %index
  %factor = load float, ptr addrspace(4) %at
  %y = fmul float %x, %factor
  ret float %y
}

define weak i64 @leaf_walk(ptr %p, i32 %n) noinline {
  %index = and i32 %n, 63
  %at = getelementptr [64 x i32], ptr addrspace(3) @window, i32 0, i32 %index
  %first = load i32, ptr %p
  store volatile i32 %first, ptr addrspace(3) %at
  %again = load volatile i32, ptr addrspace(3) %at
  %sum = call i32 @leaf_add(i32 %again, i32 %n)
  %wide = sext i32 %sum to i64
  ret i64 %wide
}

define ptx_kernel void @k1_llvm(ptr addrspace(1) %p, i32 %n) {
  %generic = addrspacecast ptr addrspace(1) %p to ptr
  %wide = call i64 @leaf_walk(ptr %generic, i32 %n)
  %x = sitofp i64 %wide to float
  %y = call float @leaf_scale(float %x, i32 %n)
  store float %y, ptr addrspace(1) %p
  ret void
}
