#!/usr/bin/env bash
# If the size of a shared array is in a later file, nvlink 13.0.88 and 13.5.37 give code the address -1 for the array,
# with status 0.
#
# The first file declares the array without a size. The second file defines it with 64 bytes.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
disassembler
cat >declares.ptx <<'PTX'
.version 9.0
.target sm_80
.address_size 64
.extern .shared .align 4 .b8 buffer[];
.visible .entry k(.param .u64 p)
{
	.reg .b32 %r<2>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, buffer;
	st.global.u32 [%rd1], %r1;
	ret;
}
PTX
cat >defines.ptx <<'PTX'
.version 9.0
.target sm_80
.address_size 64
.visible .shared .align 4 .b8 buffer[64];
.visible .func g()
{
	.reg .b32 %r<2>;
	mov.u32 %r1, 1;
	st.shared.u32 [buffer], %r1;
	ret;
}
PTX
for v in 13.0.88 13.5.37; do
	toolkit $v
	for f in declares defines; do "${bin[$v]}/ptxas" -c -arch=sm_80 $f.ptx -o $f.cubin; done
	seen "nvlink $v: status" 0 "$(status "${bin[$v]}/nvlink" -arch=sm_80 declares.cubin defines.cubin -o linked)"
	seen "nvlink $v: messages" '' "$(cat said)"
	seen "nvlink $v: the address in the kernel" 0xffffffff "$("$nvdisasm" -c linked | grep -oE 'MOV R[0-9]+, 0x[0-9a-f]+' | grep -oE '0x.*')"
done
finish
