#!/usr/bin/env bash
# With some thousand objects or more, the time of nvlink grows with the square of their number.
#
# Each object has a kernel with 256 bytes of code. The kernels differ only in their names. From 4,000 to 16,000 objects,
# the processor time of 13.0.88 and 13.5.37 grows more than fortyfold (0.4 s, 17 s), although the work grows fourfold.
# shellcheck source-path=SCRIPTDIR source=common.bash
. "$(dirname "$0")/common.bash"
kernel 80
sed -i 's/ k(/ k000000(/' k.ptx
for v in 13.0.88 13.5.37; do
	toolkit $v
	"${bin[$v]}/ptxas" -c -arch=sm_80 k.ptx -o k.cubin
	NVLINK=${bin[$v]}/nvlink python3 - >times <<'PY'
import os, resource, subprocess

data = open("k.cubin", "rb").read()
os.makedirs("many", exist_ok=True)
for i in range(16000):
    open("many/%d.cubin" % i, "wb").write(data.replace(b"k000000", b"k%06d" % i))


def spent(n):
    with open("names", "w") as f:
        f.write("\n".join("many/%d.cubin" % i for i in range(n)))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.check_call([os.environ["NVLINK"], "-arch=sm_80", "--options-file", "names", "-o", "linked"])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


few, many = min(spent(4000) for _ in range(3)), spent(16000)
print("%.2f %.2f %s" % (few, many, "yes" if many > 9 * few else "no"))
PY
	read -r few many grows <times
	echo "nvlink $v: $few s for 4,000 objects, $many s for 16,000"
	seen "nvlink $v: more than ninefold" yes "$grows"
done
finish
