#!/bin/sh
# usage: check.sh CORPUS LINKER
corpus=$1 linker=$2
check() { # judges step $step, whose arguments are its own
	[ "$step" -gt 0 ] || return
	work=$(mktemp -d) i=1
	cp -R "$files/in/." "$work" 2>/dev/null
	while [ $i -lt "$step" ]; do cp -R "$files/$i.out/." "$work" 2>/dev/null; i=$((i + 1)); done
	(cd "$work" && "$linker" "$@" </dev/null >/dev/null 2>&1); status=$?
	[ $status = "$exit" ] || echo "exit $steps step $step: $status"
	for file in $(cd "$files/$step.out" 2>/dev/null && find . -type f); do
		cmp -s "$files/$step.out/$file" "$work/$file" || echo "bytes $steps step $step: $file"
	done
	rm -rf "$work"
}
for steps in "$corpus"/*/*/sm_*.steps; do
	grep -qsE '^(expect|platform)' "${steps%/*}/case.txt" && continue
	files=$(mktemp -d) step=0; set --
	tar -xzf "${steps%.steps}.tar.gz" -C "$files" 2>/dev/null
	while IFS= read -r line; do
		value=$(printf '%b.' "${line#* }") value=${value%.}
		case ${line%% *} in
		step) check "$@"; step=$value exit=0; set -- ;;
		arg) set -- "$@" "$value" ;;
		exit) exit=$value ;;
		release) break ;;
		esac
	done <"$steps"
	check "$@"; rm -rf "$files"
done
