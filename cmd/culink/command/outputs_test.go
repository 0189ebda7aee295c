package command

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"
)

// Some outputs exist only in culink. culink rejects such an output before it writes anything, if the file is also an
// input, an output that nvlink has too, or another such output (OPT-511).
func TestOwnOutputsClash(t *testing.T) {
	cubin := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k.cubin", cubin)
	write(t, "options", []byte("-arch=sm_90"))
	for args, name := range map[string]string{
		"--map=k.cubin":                             "k.cubin",
		"--map=./k.cubin":                           "./k.cubin",
		"--map=options":                             "options",
		"--trace-file=k.cubin":                      "k.cubin",
		"--repro=k.cubin":                           "k.cubin",
		"--map=out":                                 "out",
		"--map=m --trace-file=m":                    "m",
		"--map=m --repro=./m":                       "./m",
		"--trace-file=r --register-link-binaries r": "r",
		"--map=d --dot-file d":                      "d",
		"--repro=options -V":                        "options",
	} {
		var stdout, stderr bytes.Buffer
		exit := run(t.Context(), append([]string{"nvlink", "-optf", "options", "k.cubin", "-o", "out"}, strings.Fields(args)...), &stdout, &stderr)
		want := "nvlink fatal   : Output file '" + name + "' is also an input or another output\n"
		if exit != 1 || !strings.HasPrefix(stderr.String(), want) {
			t.Errorf("%s: exit status %d, %q", args, exit, stderr.String())
		}
		if read(t, "k.cubin") != string(cubin) || read(t, "options") != "-arch=sm_90" {
			t.Fatalf("%s: an input changed", args)
		}
		if files, _ := os.ReadDir("."); len(files) > 2 && !strings.Contains(args, "repro") {
			t.Errorf("%s: %d files written", args, len(files)-2)
		}
		for _, name := range []string{"out", "m", "r", "d"} {
			os.Remove(name)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// If stdout cannot be written, every command that prints something ends with status 1 (OPT-510).
func TestStdoutThatFails(t *testing.T) {
	cubin := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k.cubin", cubin)
	for _, args := range []string{"--help", "-V", "-ghls", "-arch=sm_90 k.cubin -o out --explain k1",
		"-arch=sm_90 k.cubin -o out --json -v", "-arch=sm_90 k.cubin -o out -time -"} {
		var stderr bytes.Buffer
		exit := run(t.Context(), append([]string{"nvlink"}, strings.Fields(args)...), full{}, &stderr)
		if want := "nvlink fatal   : Could not write file 'stdout'\n"; exit != 1 || !strings.HasSuffix(stderr.String(), want) {
			t.Errorf("%s: exit status %d, %q", args, exit, stderr.String())
		}
	}
}
