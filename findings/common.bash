# What the findings share. A finding sources this file, and works in a temporary folder that goes at its end.

set -euo pipefail
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# install PACKAGE==VERSION... unpacks packages of the Python package index into a folder; its path is in $tree.
install() {
	tree=$work/$(printf '%s' "$*" | tr -c 'a-zA-Z0-9.\n' -)
	python3 -m pip download --quiet --disable-pip-version-check --no-deps --dest "$tree.wheels" "$@"
	local wheel
	for wheel in "$tree".wheels/*.whl; do python3 -m zipfile -e "$wheel" "$tree"; done
	rm -rf "$tree.wheels"
	find "$tree" -path '*/bin/*' -type f -exec chmod +x {} +
}

# toolkit VERSION installs ptxas, nvlink and fatbinary of a release; their folder is in ${bin[VERSION]}.
declare -A bin
toolkit() {
	install "nvidia-cuda-nvcc==$1"
	bin[$1]=$tree/nvidia/cu13/bin
}

# disassembler installs nvdisasm, into $nvdisasm.
disassembler() {
	install nvidia-cuda-nvdisasm==13.5.37
	nvdisasm=$(find "$tree" -name nvdisasm -type f)
}

# kernel TARGET writes a kernel k for TARGET to k.ptx that stores the number of its thread.
kernel() {
	cat >k.ptx <<-PTX
		.version 9.0
		.target sm_$1
		.address_size 64
		.visible .entry k(.param .u64 p)
		{
			.reg .b64 %rd<2>;
			.reg .b32 %r<2>;
			ld.param.u64 %rd1, [p];
			mov.u32 %r1, %tid.x;
			st.global.u32 [%rd1], %r1;
			ret;
		}
	PTX
}

# has NAME FILE says whether the symbol table of FILE defines NAME.
has() { if readelf -sW "$2" 2>/dev/null | grep -Eq "(FUNC|OBJECT).* $1\$"; then echo yes; else echo no; fi; }

# seen WHAT EXPECTED ACTUAL prints what was seen, and fails where that is not what was seen when the finding was made.
changed=0
seen() {
	if [ "$2" = "$3" ]; then
		printf '%s: %s\n' "$1" "$3"
	else
		printf 'CHANGED: %s: was "%s", is "%s"\n' "$1" "$2" "$3"
		changed=1
	fi
}

# status COMMAND... runs a command and prints its exit status; what it writes goes to the file said.
status() { local s=0; "$@" >said 2>&1 || s=$?; echo "$s"; }

# finish ends a finding.
finish() { exit "$changed"; }
