package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// These messages occur in no recorded link. Most of them exist only in culink (DIAG-501).
func TestRareMessages(t *testing.T) {
	ptx, err := os.ReadFile(filepath.Join("..", "..", "..", "linker", "input", "testdata", "k.80.ptx"))
	if err != nil {
		t.Fatal(err)
	}
	cubin := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	t.Setenv("PATH", t.TempDir())
	t.Setenv("CULINK_PTXAS", "")
	t.Setenv("CULINK_LTO", "")
	write(t, "k.cubin", cubin)
	write(t, "k.ptx", ptx)
	write(t, "k.ltoir", append([]byte("\xed\x43\x4e\x7f\x01\x41\x02\x62\x03\x02\x07\x00\x18\x00"), cubin...))
	write(t, "empty", nil)
	write(t, "nv/lib64/libnvvm.so", nil)
	for args, want := range map[string]string{
		"-lto -nvvmpath nv k.ltoir":                     "nvlink fatal   : Input file 'k.ltoir' holds code for link-time optimisation, which needs NVIDIA's libnvJitLink of CUDA 13.0: install it, or name it or another compiler with --lto-compiler or $CULINK_LTO; NVIDIA's libnvJitLink is not in nv, ",
		"-lto -nvvmpath nv k.ltoir --lto-compiler ./no": "nvlink fatal   : the compiler for link-time optimisation failed: ./no: ",
		"k.ptx -ptxas no":                               "nvlink fatal   : Input file 'k.ptx': ptxas failed: ",
		"k.ptx":                                         "nvlink fatal   : Input file 'k.ptx' holds PTX, which needs the compiler ptxas of CUDA 13.0: install it, or name it with -ptxas or $CULINK_PTXAS\n",
		"-arch=compute_100 k.ptx":                       "fatal   : specified arch exceeds buffer length\n",
		"-uidx empty k.cubin":                           "nvlink fatal   : Could not read file 'empty'\n",
		"-nv-host empty k.cubin":                        "nvlink fatal   : Could not read file 'empty'\n",
		"-dump-callgraph empty":                         "No relocatable objects found. Did not generate callgraph.\n",
		"-ghls=lcs-abs":                                 "nvlink fatal   : Host linker script creation failed.\n",
	} {
		var stdout, stderr bytes.Buffer
		run(t.Context(), append([]string{"nvlink", "-arch=sm_90", "-o", "out"}, strings.Fields(args)...), &stdout, &stderr)
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: stderr %q, want %q", args, stderr.String(), want)
		}
	}
}
