#!/usr/bin/env bash
# A C program built with nvJitLink.h of 13.1 or later does not run with an older libnvJitLink.so.13.
#
# All libraries of 13 have the same name, and the source of the program is the same. The header of 13.1 or later renames
# nvJitLinkCreate to a function with the minor version in its name. A program built with 13.0 works with every later
# library.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
cat >create.c <<'C'
#include <nvJitLink.h>
#include <stdio.h>
int main(void)
{
	nvJitLinkHandle handle;
	const char *options[] = {"-arch=sm_80"};
	printf("create: %d\n", nvJitLinkCreate(&handle, 1, options));
	return 0;
}
C
declare -A library
for v in 13.0.88 13.1.115 13.5.37; do
	install nvidia-nvjitlink==$v
	library[$v]=$(dirname "$(find "$tree" -name libnvJitLink.so.13)")
	cc -w -I"$(dirname "$(find "$tree" -name nvJitLink.h)")" create.c -o create-$v -L"${library[$v]}" -l:libnvJitLink.so.13
done
for row in 13.0.88/13.0.88=0 13.0.88/13.5.37=0 13.1.115/13.0.88=127 13.1.115/13.5.37=0 13.5.37/13.0.88=127 13.5.37/13.1.115=127 13.5.37/13.5.37=0; do
	pair=${row%=*}
	seen "built with ${pair%/*}, run with ${pair#*/}: status" "${row#*=}" "$(LD_LIBRARY_PATH=${library[${pair#*/}]} status "./create-${pair%/*}")"
done
seen "what the loader says of 13.5.37 with 13.1.115" "undefined symbol: __nvJitLinkCreate_13_5, version libnvJitLink.so.13" \
	"$(LD_LIBRARY_PATH=${library[13.1.115]} ./create-13.5.37 2>&1 | grep -o 'undefined symbol.*')"
finish
