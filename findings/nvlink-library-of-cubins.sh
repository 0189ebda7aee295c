#!/usr/bin/env bash
# nvlink links nothing from an archive of cubins. If the archive is given by its path, nvlink prints nothing. With -l it
# prints a warning. The status is 0 in both cases.
#
# nvlink 13.0.88 and 13.5.37 look for host objects with device code in the members. A cubin on the command line is
# linked. The same cubin in an archive is not, and no message says that its kernel is missing.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
kernel 80
sed 's/ k(/ other(/' k.ptx >other.ptx
for v in 13.0.88 13.5.37; do
	toolkit $v
	for f in k other; do "${bin[$v]}/ptxas" -c -arch=sm_80 $f.ptx -o $f.cubin; done
	rm -f libk.a
	ar rc libk.a k.cubin
	"${bin[$v]}/nvlink" -arch=sm_80 other.cubin k.cubin -o linked
	seen "nvlink $v, the cubin itself: the kernel is there" yes "$(has k linked)"
	seen "nvlink $v, by path: status" 0 "$(status "${bin[$v]}/nvlink" -arch=sm_80 other.cubin libk.a -o linked)"
	seen "nvlink $v, by path: messages" '' "$(cat said)"
	seen "nvlink $v, by path: the kernel is there" no "$(has k linked)"
	seen "nvlink $v, by -l: status" 0 "$(status "${bin[$v]}/nvlink" -arch=sm_80 other.cubin -L. -lk -o linked)"
	seen "nvlink $v, by -l: messages" "nvlink warning : Skipping incompatible './libk.a' when searching for -lk" "$(cat said)"
	seen "nvlink $v, by -l: the kernel is there" no "$(has k linked)"
done
finish
