#!/usr/bin/env bash
# The life ranges of nvdisasm leave out the fourth component of a texture on sm_100 and later.
#
# A kernel stores all four components of a texture. On sm_90, nvdisasm -plr shows that the texture instruction writes four
# registers. On sm_100 and sm_120 it shows three, although the code stores four registers.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
cat >t.ptx <<'PTX'
.version 9.0
.target sm_75
.address_size 64
.visible .global .texref t;
.visible .entry k(.param .u64 p)
{
	.reg .b64 %rd<2>;
	.reg .f32 %f<7>;
	ld.param.u64 %rd1, [p];
	ld.global.f32 %f1, [%rd1];
	ld.global.f32 %f2, [%rd1+4];
	tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [t, {%f1, %f2}];
	st.global.f32 [%rd1], %f3;
	st.global.f32 [%rd1+4], %f4;
	st.global.f32 [%rd1+8], %f5;
	st.global.f32 [%rd1+12], %f6;
	ret;
}
PTX
toolkit 13.0.88
disassembler
for row in 90=4 100=3 120=3; do
	sm=${row%=*}
	"${bin[13.0.88]}/ptxas" -c -arch="sm_$sm" t.ptx -o t.cubin
	"$nvdisasm" -c -plr t.cubin >t.sass 2>/dev/null
	written=$(grep -w 'TEX[A-Z.]*' t.sass | sed 's|.*; *// | |; s/^[^|]*|[^|0-9]*[0-9]* //; s/|.*//' | grep -o '[x^]' | wc -l)
	seen "sm_$sm: registers that the texture instruction writes, of 4" "${row#*=}" "$((written))"
	stored=$(grep -c 'STG' t.sass)
	seen "sm_$sm: registers that are stored" 4 "$stored"
done
finish
