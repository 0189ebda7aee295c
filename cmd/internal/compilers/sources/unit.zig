// A unit in Zig: functions of mid.cu, and two kernels.
extern fn leaf_add(a: i32, b: i32) callconv(.c) i32;
extern fn leaf_scale(x: f32, i: i32) callconv(.c) f32;
extern var leaf_table: [16]i32;
const Call = *const fn (i32, i32) callconv(.c) i32;

fn product(a: i32, b: i32) callconv(.c) i32 {
    return a *% b;
}
export var mid_table: [2]Call = .{ &leaf_add, &product };
export var zig_count: i32 = 4;
export fn mid_call(which: i32, a: i32, b: i32) callconv(.c) i32 {
    zig_count +%= which;
    return mid_table[@intCast(which & 1)](a, b) +% zig_count;
}
export fn mid_sum(p: [*]i32, n: i32) callconv(.c) i32 {
    return if (n <= 0) leaf_table[3] else leaf_add(mid_sum(p, n - 1), p[@intCast(n)]);
}
export fn mid_mix(x: f32, i: i32) callconv(.c) f32 {
    return leaf_scale(x, i) / leaf_scale(x, i + 1);
}
export fn k1_zig(p: [*]addrspace(.global) i32, n: i32) callconv(.nvptx_kernel) void {
    p[0] = mid_call(n, p[1], 2);
}
export fn k2_zig(p: [*]addrspace(.global) f32, n: i32) callconv(.nvptx_kernel) void {
    p[1] = mid_mix(p[0], n);
}
