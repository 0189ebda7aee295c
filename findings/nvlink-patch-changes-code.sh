#!/usr/bin/env bash
# For the same object for sm_100, nvlink 13.2.86 makes different machine code than 13.2.78. nvlink 13.2.78 also removes
# instructions that 13.2.86 adds.
#
# From 13.2.86 on, there is a NOP before each BSYNC.RECONVERGENT. If 13.2.51 or 13.2.78 links an object from the ptxas
# of 13.2.86 with these NOPs, it drops them. So within one minor release, links change code in both directions.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
disassembler
cat >k.ptx <<'PTX'
.version 9.0
.target sm_100
.address_size 64
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<3>;
	.reg .pred %p<3>;
	.reg .f32 %f<3>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.f32 %f1, [%rd1];
	setp.lt.f32 %p1, %f1, 0f40000000;
	@%p1 bra BELOW;
	mov.u32 %r2, 0;
AGAIN:
	div.rn.f32 %f1, %f1, 0f40400000;
	st.global.f32 [%rd1+64], %f1;
	add.u32 %r2, %r2, 1;
	setp.gt.f32 %p2, %f1, 0f3f800000;
	@%p2 bra AGAIN;
BELOW:
	div.rn.f32 %f2, 0f40400000, %f1;
	st.global.f32 [%rd1], %f2;
	ret;
}
PTX
before() { "$nvdisasm" -c "$1" | grep -oE 'NOP|BSYNC\.RECONVERGENT|[A-Z][A-Z0-9.]+ ' | grep -B1 BSYNC.RECONVERGENT | grep -c NOP || true; }
toolkit 13.2.51
toolkit 13.2.78
toolkit 13.2.86
for v in 13.2.78 13.2.86; do "${bin[$v]}/ptxas" -c -arch=sm_100 k.ptx -o of-$v.cubin; done
for row in 13.2.78/13.2.51=0 13.2.78/13.2.78=0 13.2.78/13.2.86=5 13.2.86/13.2.51=0 13.2.86/13.2.78=0 13.2.86/13.2.86=5; do
	pair=${row%=*}
	"${bin[${pair#*/}]}/nvlink" -arch=sm_100 "of-${pair%/*}.cubin" -o linked
	seen "object of ${pair%/*}, linked by ${pair#*/}: BSYNC.RECONVERGENT behind a NOP" "${row#*=}" "$(before linked)"
done
finish
