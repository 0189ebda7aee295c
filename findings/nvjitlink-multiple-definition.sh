#!/usr/bin/env bash
# libnvJitLink links two files that define the same function, with NVJITLINK_SUCCESS and an empty error log. nvlink refuses them.
#
# The message goes to the standard error of the process. The kernel of the second file calls the function of the first one,
# which does something else, so that a program gets a wrong result and no error.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
cat >link.c <<'C'
#include <nvJitLink.h>
#include <stdio.h>
int main(int count, char **files)
{
	nvJitLinkHandle handle;
	const char *options[] = {"-arch=sm_90"};
	static char image[1 << 20];
	size_t log = 0;
	int create = nvJitLinkCreate(&handle, 1, options), add = 0;
	for (int i = 1; i < count; i++) add += nvJitLinkAddFile(handle, NVJITLINK_INPUT_CUBIN, files[i]);
	int complete = nvJitLinkComplete(handle);
	nvJitLinkGetErrorLogSize(handle, &log);
	size_t size = 0;
	if (nvJitLinkGetLinkedCubinSize(handle, &size) == 0 && size <= sizeof image) {
		nvJitLinkGetLinkedCubin(handle, image);
		FILE *out = fopen("linked", "wb");
		fwrite(image, 1, size, out);
		fclose(out);
	}
	printf("create %d, add %d, complete %d, error log %zu bytes\n", create, add, complete, log);
	return 0;
}
C
toolkit 13.0.88
compiler=${bin[13.0.88]}/ptxas
for row in a=1 b=2; do
	name=${row%=*}
	cat >$name.ptx <<-PTX
		.version 9.0
		.target sm_90
		.address_size 64
		.visible .func (.param .b32 result) f()
		{
			st.param.b32 [result], ${row#*=};
			ret;
		}
		.visible .entry k$name(.param .u64 place)
		{
			.reg .b64 %rd1;
			.reg .b32 %r1;
			ld.param.u64 %rd1, [place];
			.param .b32 value;
			call (value), f;
			ld.param.b32 %r1, [value];
			st.global.u32 [%rd1], %r1;
			ret;
		}
	PTX
	"$compiler" -c -arch=sm_90 $name.ptx -o $name.cubin
done
message="error   : Multiple definition of 'f' in 'b.cubin', first defined in 'a.cubin'"
for v in 13.0.88 13.5.37; do
	[ -n "${bin[$v]:-}" ] || toolkit $v
	seen "nvlink $v: status" 1 "$(status "${bin[$v]}/nvlink" -arch=sm_90 a.cubin b.cubin -o linked)"
	seen "nvlink $v: message" "nvlink $message" "$(head -n 1 said)"
	install nvidia-nvjitlink==$v
	library=$(dirname "$(find "$tree" -name libnvJitLink.so.13)")
	cc -w -I"$(dirname "$(find "$tree" -name nvJitLink.h)")" link.c -o link -L"$library" -l:libnvJitLink.so.13
	rm -f linked
	seen "libnvJitLink $v" "create 0, add 0, complete 0, error log 0 bytes" "$(LD_LIBRARY_PATH=$library ./link a.cubin b.cubin 2>said)"
	seen "libnvJitLink $v: standard error" "$message" "$(cat said)"
	seen "libnvJitLink $v: the kernel of the second file is there" yes "$(has kb linked)"
	seen "libnvJitLink $v: functions named f" 1 "$(readelf -sW linked 2>/dev/null | grep -c ' f$')"
done
finish
