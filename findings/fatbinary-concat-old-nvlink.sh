#!/usr/bin/env bash
# nvlink 13.0 and 13.1 ignore files packed by fatbinary -concat of 13.4, with a warning and status 0. nvlink 13.2 reads
# them.
#
# -concat (also nvcc --concat) is new in 13.4. If a newer toolkit packs code of an older compiler in this way, a build
# with the older toolkit makes an empty program.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
toolkit 13.0.88
toolkit 13.4.92
for sm in 80 90; do
	kernel $sm
	"${bin[13.0.88]}/ptxas" -c -arch=sm_$sm k.ptx -o k$sm.cubin
done
images=(--image3=kind=elf,sm=80,file=k80.cubin --image3=kind=elf,sm=90,file=k90.cubin)
"${bin[13.4.92]}/fatbinary" --create plain.fatbin "${images[@]}"
"${bin[13.4.92]}/fatbinary" -concat --create concat.fatbin "${images[@]}"
for row in 13.0.88=no 13.1.115=no 13.2.51=yes 13.4.92=yes; do
	v=${row%=*}
	[ -n "${bin[$v]:-}" ] || toolkit $v
	for form in plain concat; do
		rm -f linked
		seen "nvlink $v, $form: status" 0 "$(status "${bin[$v]}/nvlink" -arch=sm_90 $form.fatbin -o linked)"
		[ $form = plain ] && want=yes || want=${row#*=}
		seen "nvlink $v, $form: the kernel is there" $want "$(has k linked)"
	done
	[ "${row#*=}" = no ] && want="nvlink warning : SM Arch ('sm_90') not found in 'concat.fatbin'" || want=
	seen "nvlink $v, concat: messages" "$want" "$(cat said)"
done
finish
