#!/usr/bin/env bash
# When the disk is full, nvlink 13.0.88 and 13.5.37 print nothing and end with status 0.
#
# The output is /dev/full, to which nothing can be written. A build continues with an incomplete output.
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
