#!/usr/bin/env bash
# nvlink takes nothing out of an archive of cubins: in silence by its path, with a warning by -l, and status 0 both times.
#
# 13.0.88 and 13.5.37 look into the members for host objects that hold device code. A cubin named on the command line is
# linked; the same cubin in an archive is not, though nothing says that its kernel is lost.
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
