#!/usr/bin/env bash
# Up to 13.1, a link in two steps gives two shared variables of one kernel the same memory. From 13.2 on it does not.
#
# A kernel writes its own shared variable, calls a function of another file that writes its own shared variable, and
# reads the first variable again. In a link in one step, the kernel's variable comes after the function's, at 0x1000.
# With 13.0.88 and 13.1.115, if the kernel's file is first linked with nvlink -r, the code of the kernel keeps the
# address from that step. The function then overwrites the word that the kernel reads. Neither step prints a message.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
disassembler
cat >kernel.ptx <<'PTX'
.version 9.0
.target sm_80
.address_size 64
.extern .func g();
.visible .shared .align 4 .b8 mine[16];
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	st.shared.u32 [mine+4], %r1;
	call.uni g, ();
	ld.shared.u32 %r2, [mine+4];
	st.global.u32 [%rd1], %r2;
	ret;
}
PTX
cat >function.ptx <<'PTX'
.version 9.0
.target sm_80
.address_size 64
.visible .shared .align 64 .b8 theirs[4096];
.visible .func g()
{
	.reg .b32 %r<2>;
	mov.u32 %r1, 1;
	st.shared.u32 [theirs+8], %r1;
	ret;
}
PTX
addresses() { "$nvdisasm" -c "$1" | grep -oE '(STS|LDS)[^;]*' | grep -oE '\[.*\]' | paste -sd' '; }
for row in '13.0.88=[0x8] [0x8] [0x8]' '13.1.115=[0x8] [0x8] [0x8]' '13.2.86=[0x1004] [0x1004] [0x8]' '13.5.37=[0x1004] [0x1004] [0x8]'; do
	v=${row%%=*}
	toolkit "$v"
	for f in kernel function; do "${bin[$v]}/ptxas" -c -arch=sm_80 $f.ptx -o $f.cubin; done
	"${bin[$v]}/nvlink" -arch=sm_80 kernel.cubin function.cubin -o direct
	seen "nvlink $v, one step: what the kernel writes, reads, and the function writes" '[0x1004] [0x1004] [0x8]' "$(addresses direct)"
	seen "nvlink $v, -r: status" 0 "$(status "${bin[$v]}/nvlink" -arch=sm_80 -r kernel.cubin -o half.cubin)"
	seen "nvlink $v, second step: status" 0 "$(status "${bin[$v]}/nvlink" -arch=sm_80 half.cubin function.cubin -o twice)"
	seen "nvlink $v, second step: messages" '' "$(cat said)"
	seen "nvlink $v, two steps: the same addresses" "${row#*=}" "$(addresses twice)"
done
finish
