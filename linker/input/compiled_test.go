package input

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/culink/culink/conformance/tools/toolstest"
)

// TestLiveCompiled loads the output of NVIDIA's compiler, fatbinary, ar and ld, for targets with and without code
// in it. It compares the results with nvlink (LOAD-015, LOAD-016, LOAD-017, LOAD-019, LOAD-020, LOAD-023).
func TestLiveCompiled(t *testing.T) {
	oracle := toolstest.Oracle(t)
	if testing.Short() {
		t.Skip("compiles for half a minute")
	}
	sources, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(PTXASVariable, filepath.Join(oracle, "bin", "ptxas"))
	dir := t.TempDir()
	cmd := exec.Command("sh", "-ec", compileScript)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(oracle, "bin")+":"+os.Getenv("PATH"), "S="+sources)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Chdir(dir)
	lib := filepath.Join(oracle, "lib")
	lines := []string{
		"k.o w.o", "w.o k.o", "k.o s.o", "k-none.o", "k-size.o", "k-speed.o", "k-balance.o", "k-default.o", "k-plain.o", "k-all.o", "k-debug.o",
		"k-ptx.o", "k-100.o", "whole.o", "whole.o k.o", "k.fatbin", "lto.o", "lto-and-elf.o", "host.o k.o", "libhost.so k.o",
		"libkw.a", "-L. -lkw s.o", "-L. -lkw libkw.a s.o", "thin.a", "noindex.a k.o", "host.a", "whole.a", "long.a", "joined.o", "stripped.o w.o",
		"-L. -lhost k.o", "k.o -L" + lib + " -lcudadevrt", "libkw.a -L" + lib + " -lcudadevrt",
	}
	for _, arch := range []string{"sm_75", "sm_80", "sm_90", "sm_100", "compute_90"} {
		for _, args := range lines {
			s := situation{name: args, arch: arch, args: args}
			ours := s.load(t)
			if _, difference := s.compare(t, ours); difference != "" {
				t.Errorf("%s on %s\nours: %s\n%s", args, arch, ours, difference)
			}
		}
	}
	for _, args := range []string{"dp.o -L" + lib + " -lcudadevrt", "k.o " + lib + "/libcudadevrt.a w.o"} {
		s := situation{name: args, args: args}
		loaded := s.load(t)
		system := 0
		for _, o := range loaded.objects {
			if o.System {
				system++
			}
		}
		if system == 0 {
			t.Errorf("%s: nothing of libcudadevrt among %s", args, loaded)
		}
	}
}

// compileScript builds the inputs of TestLiveCompiled from the sources in the folder $S.
const compileScript = `
both="-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=[sm_90,compute_90]"
for f in k w s; do nvcc -rdc=true -c $both -o $f.o $S/$f.cu; done
for m in none size speed balance default; do nvcc -rdc=true -c -arch=sm_90 --compress-mode=$m -o k-$m.o $S/k.cu; done
nvcc -rdc=true -c -arch=sm_90 -Xfatbin --compress=false -o k-plain.o $S/k.cu
nvcc -rdc=true -c -arch=sm_90 -Xfatbin --compress-all -o k-all.o $S/k.cu
nvcc -rdc=true -c -G -arch=sm_90 -o k-debug.o $S/k.cu
nvcc -rdc=true -c -gencode arch=compute_75,code=compute_75 -Xptxas -O1 -maxrregcount=32 -o k-ptx.o $S/k.cu
nvcc -rdc=true -c -gencode arch=compute_100f,code=sm_100f -gencode arch=compute_100a,code=sm_100a -o k-100.o $S/k.cu
nvcc -c -arch=sm_90 -o whole.o $S/w.cu
nvcc -rdc=true -fatbin $both -o k.fatbin $S/k.cu
nvcc -dc -gencode arch=compute_90,code=lto_90 -o lto.o $S/w.cu
nvcc -dc -gencode arch=compute_90,code=[lto_90,sm_90] -o lto-and-elf.o $S/w.cu
echo 'int host() { return 1; }' >host.cpp
gcc -x c++ -c -fPIC -o host.o host.cpp
gcc -shared -o libhost.so host.o
ar rcs libkw.a k.o w.o
ar rcsT thin.a k.o w.o
ar rcS noindex.a w.o
ar rcs host.a host.o w.o
ar rcs whole.a whole.o w.o
cp w.o a_member_with_a_long_name.o
ar rcs long.a a_member_with_a_long_name.o k.o
ld -r -o joined.o k.o w.o
strip --strip-unneeded -o stripped.o k.o
cat >dp.cu <<END
__global__ void child(int *p) { *p = 1; }
__global__ void parent(int *p) { child<<<1, 1>>>(p); }
END
nvcc -rdc=true -c -arch=sm_90 -o dp.o dp.cu
`
