// The functions of mid.cu in Rust.
#![no_core]
#![feature(no_core, lang_items, auto_traits)]
#![allow(internal_features, improper_ctypes, unconditional_recursion)]
#![crate_type = "lib"]

#[lang = "pointee_sized"] pub trait PointeeSized {}
#[lang = "meta_sized"] pub trait MetaSized: PointeeSized {}
#[lang = "sized"] pub trait Sized: MetaSized {}
#[lang = "copy"] pub trait Copy {}
impl Copy for i32 {}
impl Copy for f32 {}
impl<T> Copy for *mut T {}
#[lang = "freeze"] unsafe auto trait Freeze {}
#[lang = "sync"] unsafe auto trait Sync {}
unsafe impl Sync for Table {}
#[lang = "drop_in_place"] unsafe fn drop_in_place<T>(_: *mut T) {}

type Call = unsafe extern "C" fn(i32, i32) -> i32;
pub struct Table(Call, Call);

extern "C" {
    fn leaf_add(a: i32, b: i32) -> i32;
    fn leaf_scale(x: f32, i: i32) -> f32;
    static mut leaf_table: [i32; 16];
}

#[inline(never)] unsafe extern "C" fn second(a: i32, b: i32) -> i32 { leaf_add(b, a) }

#[no_mangle] pub static mut mid_table: Table = Table(leaf_add, second);
#[no_mangle] pub unsafe extern "C" fn mid_sum(p: *mut i32, n: i32) -> i32 { leaf_add(leaf_add(*p, n), *(&raw const leaf_table as *const i32)) }
#[no_mangle] pub unsafe extern "C" fn mid_mix(x: f32, i: i32) -> f32 { leaf_scale(leaf_scale(x, i), i) }
#[no_mangle] pub unsafe extern "C" fn mid_call(which: i32, a: i32, b: i32) -> i32 {
    match which { 0 => (mid_table.0)(a, b), _ => (mid_table.1)(a, b) }
}
