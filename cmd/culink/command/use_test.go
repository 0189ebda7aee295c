package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/tools/toolstest"
)

// These are the projects that the commands of docs/use.md build.
var useProject = map[string]string{
	"a.cu": "__device__ int f(int); __global__ void k(int *p) { *p = f(*p); }\nint main() { k<<<1, 1>>>(nullptr); return cudaDeviceSynchronize() == cudaSuccess ? 0 : 35; }\n",
	"b.cu": "__device__ int f(int x) { return x + 1; }\n",
	"CMakeLists.txt": "cmake_minimum_required(VERSION 3.20)\nproject(use CUDA)\nadd_executable(program a.cu b.cu)\n" +
		"set_target_properties(program PROPERTIES CUDA_SEPARABLE_COMPILATION ON)\n",
	"meson.build": "project('use', 'cuda', default_options: ['b_ndebug=true'])\n" +
		"executable('program', 'a.cu', 'b.cu', cuda_args: ['-rdc=true', '-arch=sm_90'], link_args: ['-rdc=true', '-arch=sm_90'])\n",
}

// useTools lists commands that succeed where the programs that a section needs, in addition to culink and the toolkit, are
// installed. A clang before 16 does not know the target of the page.
var useTools = map[string][]string{
	"CMake": {"cmake --version"}, "Meson": {"meson --version", "ninja --version"},
	"clang": {"clang++ --target=nvptx64-nvidia-cuda -march=sm_90 -fsyntax-only -x c /dev/null"},
}

// Every command of docs/use.md works, and it is culink that runs the link (OPT-505, OPT-504).
func TestLiveUsePage(t *testing.T) {
	page, err := os.ReadFile("../../../docs/use.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := regexp.MustCompile("(?m)^## ").Split(string(page), -1)
	if len(sections) != 6 {
		t.Fatalf("%d sections, of which four are about tools", len(sections))
	}
	oracle := toolstest.Oracle(t)
	home, bin := t.TempDir(), t.TempDir()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, "culink"), "../../culink").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	stub := t.TempDir()
	sh := func(t *testing.T, dir, command string) string {
		t.Helper()
		cmd := exec.Command("sh", "-ec", strings.ReplaceAll(command, "/usr/local/cuda", oracle))
		cmd.Dir = dir
		cmd.Env = []string{"HOME=" + home, "CPLUS_INCLUDE_PATH=" + stub, "PATH=" + bin + ":" + os.Getenv("PATH")}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
		return string(out)
	}
	block := regexp.MustCompile("(?s)```sh\n(.*?)```")
	if out := sh(t, home, block.FindStringSubmatch(sections[0])[1]); !strings.Contains(out, "nvlink: culink ") {
		t.Fatalf("the version is\n%s", out)
	}
	// Every run of culink adds a line to the file links.
	links := filepath.Join(home, "links")
	nvlink := filepath.Join(home, "cuda-culink", "bin", "nvlink")
	if err := os.Rename(nvlink, nvlink+"-culink"); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/bash\necho \"$@\" >> " + links + "\nexec -a nvlink " + nvlink + "-culink \"$@\"\n"
	if err := os.WriteFile(nvlink, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	// clang includes a header that is missing in a toolkit made of Python wheels.
	write(t, filepath.Join(stub, "curand_mtgp32_kernel.h"), nil)
	build := func(name, commands string) {
		t.Run(name, func(t *testing.T) {
			for _, tool := range useTools[name] {
				if said, err := exec.Command("sh", "-c", tool).CombinedOutput(); err != nil {
					t.Skipf("%s: %v\n%s", tool, err, said)
				}
			}
			dir := t.TempDir()
			for file, text := range useProject {
				write(t, filepath.Join(dir, file), []byte(text))
			}
			os.Remove(links)
			sh(t, dir, commands)
			if noted, err := os.ReadFile(links); err != nil || !strings.Contains(string(noted), "-o") {
				t.Errorf("no link by culink: %s, %v", noted, err)
			}
		})
	}
	for _, s := range sections[1:5] {
		name, text, _ := strings.Cut(s, "\n")
		commands := block.FindStringSubmatch(text)
		if commands == nil {
			t.Errorf("%s: no command", name)
			continue
		}
		build(name, commands[1])
	}
	// The objects contain only PTX. culink finds the toolkit's ptxas without further settings.
	ptx := "for s in a b; do ~/cuda-culink/bin/nvcc -gencode arch=compute_90,code=compute_90 -rdc=true -c $s.cu -o $s.o; done\n" +
		"PATH=/usr/bin:/bin ~/cuda-culink/bin/nvcc -arch=sm_90 -rdc=true a.o b.o -o program\n"
	build("PTX", ptx)
}
