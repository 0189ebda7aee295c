#!/usr/bin/env bash
# nvlink 13.0.88 and 13.5.37 print a warning although -w is given. The help says that -w inhibits all warnings.
#
# The kernel calls a function that calls itself, so the size of its stack is unknown.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
cat >r.ptx <<'PTX'
.version 9.0
.target sm_80
.address_size 64
.visible .func (.param .b32 result) sum(.param .b32 n)
{
	.reg .b32 %r<4>;
	.reg .pred %p<2>;
	ld.param.u32 %r1, [n];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra DONE;
	sub.u32 %r2, %r1, 1;
	{
		.param .b32 less;
		.param .b32 rest;
		st.param.b32 [less], %r2;
		call.uni (rest), sum, (less);
		ld.param.b32 %r3, [rest];
	}
	add.u32 %r1, %r3, %r1;
DONE:
	st.param.b32 [result], %r1;
	ret;
}
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	{
		.param .b32 seven;
		.param .b32 all;
		st.param.b32 [seven], 7;
		call.uni (all), sum, (seven);
		ld.param.b32 %r1, [all];
	}
	st.global.u32 [%rd1], %r1;
	ret;
}
PTX
for v in 13.0.88 13.5.37; do
	toolkit $v
	"${bin[$v]}/ptxas" -c -arch=sm_80 r.ptx -o r.cubin
	seen "nvlink $v --help" "Inhibit all warning messages." "$("${bin[$v]}/nvlink" --help | grep -A1 -e '(-w)' | tail -1 | xargs)"
	seen "nvlink $v -w: status" 0 "$(status "${bin[$v]}/nvlink" -arch=sm_80 -w r.cubin -o linked)"
	seen "nvlink $v -w" "nvlink warning : Stack size for entry function 'k' cannot be statically determined" "$(cat said)"
done
finish
