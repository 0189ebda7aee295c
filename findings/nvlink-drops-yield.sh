#!/usr/bin/env bash
# nvlink turns the YIELD of a spin loop into a NOP if the PTX has .target sm_52, but not if it has .target sm_70.
#
# The same ptxas compiles both for sm_80 to the same instructions. Only the object with the old target has relocations
# of the YIELD, and nvlink 13.0.88 and 13.5.37 resolve them in this way. GCC's compiler for nvptx and other old
# compilers write such targets.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
disassembler
yields() { "$nvdisasm" -c "$1" | grep -c 'YIELD' || true; }
for v in 13.0.88 13.5.37; do
	toolkit $v
	for row in 52=1,0 70=1,1; do
		cat >spin.ptx <<-PTX
			.version 6.0
			.target sm_${row%=*}
			.address_size 64
			.visible .entry k(.param .u64 p)
			{
				.reg .b32 %r<3>;
				.reg .b64 %rd<2>;
				.reg .pred %p<2>;
				ld.param.u64 %rd1, [p];
				mov.u32 %r1, %tid.x;
				setp.eq.u32 %p1, %r1, 3;
				@%p1 bra FREE;
			WAIT:
				ld.volatile.global.u32 %r2, [%rd1];
				setp.ne.u32 %p1, %r2, 0;
				@%p1 bra WAIT;
			FREE:
				st.global.u32 [%rd1], %r1;
				ret;
			}
		PTX
		"${bin[$v]}/ptxas" -c -arch=sm_80 spin.ptx -o spin.cubin
		"${bin[$v]}/nvlink" -arch=sm_80 spin.cubin -o linked
		seen "nvlink $v, .target sm_${row%=*}: YIELD before and after the link" "${row#*=}" "$(yields spin.cubin),$(yields linked)"
	done
done
finish
