#!/usr/bin/env bash
# From 13.1 on, nvlink -v reports the barriers of the previous kernel for a kernel without barriers.
#
# Kernel a uses four named barriers, and kernel b uses none. 13.0.88 reports this correctly. 13.1.115 to 13.5.37 report
# four barriers for both.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
cat >b.ptx <<'PTX'
.version 9.0
.target sm_80
.address_size 64
.visible .entry a(.param .u64 p)
{
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	bar.sync 0;
	bar.sync 1;
	bar.sync 2;
	bar.sync 3;
	st.global.u64 [%rd1], %rd1;
	ret;
}
.visible .entry b(.param .u64 p)
{
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	st.global.u64 [%rd1], %rd1;
	ret;
}
PTX
for row in 13.0.88=4,0 13.1.115=4,4 13.3.73=4,4 13.5.37=4,4; do
	v=${row%=*}
	toolkit $v
	"${bin[$v]}/ptxas" -c -arch=sm_80 b.ptx -o b.cubin
	said=$("${bin[$v]}/nvlink" -arch=sm_80 -v b.cubin -o linked 2>&1 | grep -o 'used [0-9]* barriers' | grep -o '[0-9]*' | paste -sd,)
	seen "nvlink $v: barriers of a and b" "${row#*=}" "$said"
done
finish
