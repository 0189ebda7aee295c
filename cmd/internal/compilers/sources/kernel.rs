// A unit in Rust without its core library: items of the language, functions that other units may call, and a kernel.
#![no_core]
#![feature(no_core, lang_items, abi_ptx, auto_traits)]
#![allow(internal_features, improper_ctypes)]
#![crate_type = "lib"]

#[lang = "pointee_sized"] pub trait PointeeSized {}
#[lang = "meta_sized"] pub trait MetaSized: PointeeSized {}
#[lang = "sized"] pub trait Sized: MetaSized {}
#[lang = "copy"] pub trait Copy {}
impl Copy for i32 {}
impl Copy for i64 {}
impl Copy for f32 {}
impl<T> Copy for *mut T {}
#[lang = "freeze"] unsafe auto trait Freeze {}
#[lang = "sync"] unsafe auto trait Sync {}
#[lang = "drop_in_place"] unsafe fn drop_in_place<T>(_: *mut T) {}
#[lang = "add"] pub trait Add<R = Self> { type Output; fn add(self, other: R) -> Self::Output; }
impl Add for i32 { type Output = i32; #[inline(always)] fn add(self, other: i32) -> i32 { self + other } }
impl Add for f32 { type Output = f32; #[inline(always)] fn add(self, other: f32) -> f32 { self + other } }

extern "C" {
    fn leaf_add(a: i32, b: i32) -> i32;
    fn leaf_scale(x: f32, i: i32) -> f32;
    fn leaf_walk(p: *mut i32, n: i32) -> i64;
    fn mid_sum(p: *mut i32, n: i32) -> i32;
    fn mid_call(which: i32, a: i32, b: i32) -> i32;
}

#[no_mangle] pub static mut RUST_COUNT: i32 = 5;
#[no_mangle] pub static RUST_STEP: unsafe extern "C" fn(i32, i32) -> i32 = leaf_add;

#[no_mangle] #[inline(never)]
pub unsafe extern "C" fn rust_step(a: i32, b: i32) -> i32 { RUST_COUNT = leaf_add(a, RUST_COUNT); RUST_STEP(a, b) + RUST_COUNT }

#[no_mangle]
pub unsafe extern "ptx-kernel" fn k1_rust(p: *mut i32, n: i32) { *p = rust_step(mid_sum(p, n), mid_call(n, *p, 2)); }

#[no_mangle]
pub unsafe extern "ptx-kernel" fn k2_rust(p: *mut f32, q: *mut i64, r: *mut i32, n: i32) { *p = leaf_scale(*p, n) + *p; *q = leaf_walk(r, n); }
