#!/usr/bin/env bash
# nvlink 13.0.88 and 13.5.37 end with status 0, and say nothing, when the disk is full.
#
# The output goes to /dev/full, which takes no byte. A build goes on with an output that is not whole.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
kernel 80
for v in 13.0.88 13.5.37; do
	toolkit $v
	"${bin[$v]}/ptxas" -c -arch=sm_80 k.ptx -o k.cubin
	seen "nvlink $v -o /dev/full: status" 0 "$(status "${bin[$v]}/nvlink" -arch=sm_80 k.cubin -o /dev/full)"
	seen "nvlink $v -o /dev/full: bytes of messages" 0 "$(stat -c %s said)"
done
finish
