package command

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/repro"
)

// pack runs a link with --repro and reads the package.
func pack(t *testing.T, args ...string) *repro.Package {
	t.Helper()
	var stdout, stderr bytes.Buffer
	exit := run(t.Context(), append([]string{"nvlink", "--repro=r.tar"}, args...), &stdout, &stderr)
	data, err := os.ReadFile("r.tar")
	if err != nil {
		t.Fatal(err)
	}
	p, err := repro.Read(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if p.Exit != exit {
		t.Errorf("recorded exit status %d of %d", p.Exit, exit)
	}
	return p
}

// --repro packs the files that were read and written, with the paths of the new folder. It does not change the link
// (OPT-501).
func TestRepro(t *testing.T) {
	cubin := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	far := filepath.ToSlash(t.TempDir())
	write(t, far+"/k1.cubin", cubin)
	write(t, "d/opt", []byte("-o \""+far+"/out\" -g"))
	p := pack(t, "-arch=sm_90", far+"/k1.cubin", "-optf", "d/opt", "-L", far)
	local := repro.Local(far)
	if want := []string{"-arch=sm_90", local + "/k1.cubin", "-optf", "d/opt", "-L", local}; !slices.Equal(p.Args, want) {
		t.Errorf("command line %q, want %q", p.Args, want)
	}
	if got := string(p.Inputs["d/opt"]); got != "-o\n"+local+"/out\n-g\n" {
		t.Errorf("response file %q", got)
	}
	if !bytes.Equal(p.Inputs[local+"/k1.cubin"], cubin) || len(p.Inputs) != 2 {
		t.Errorf("%d inputs", len(p.Inputs))
	}
	// The tool note contains the path of -L. The recorded checksum is that of the link at the new path.
	real := read(t, far+"/out")
	if p.Outputs[local+"/out"] == repro.Sum([]byte(real)) {
		t.Error("the sum is that of the link as it stands")
	}
	for name, data := range p.Inputs {
		write(t, name, data)
	}
	if exit := run(t.Context(), append([]string{"nvlink"}, p.Args...), &bytes.Buffer{}, &bytes.Buffer{}); exit != 0 {
		t.Errorf("the moved link ends with %d", exit)
	}
	if got := repro.Sum([]byte(read(t, local+"/out"))); got != p.Outputs[local+"/out"] {
		t.Errorf("the moved link gives %s, recorded is %s", got, p.Outputs[local+"/out"])
	}
}

// --repro packs the environment variables that act as options. The tool note of the packed link includes their effect
// (OPT-521).
func TestReproEnvironment(t *testing.T) {
	cubin := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k1.cubin", cubin)
	t.Setenv("CULINK_KEEP_RELOCS", "1")
	t.Setenv("CULINK_ADVICE", "")
	p := pack(t, "-arch=sm_90", "-r", "k1.cubin", "-o", "out")
	delete(p.Environment, option.PlatformVariable) // set on Windows, so that the tests are as on Linux
	if len(p.Environment) != 1 || p.Environment["CULINK_KEEP_RELOCS"] != "1" {
		t.Errorf("the environment is %v", p.Environment)
	}
	if out := read(t, "out"); p.Outputs["out"] != repro.Sum([]byte(out)) || !strings.Contains(out, "-keep-relocs") {
		t.Error("the recorded sum is not that of the output, or its note does not name the option")
	}
}

// --repro packs a failed link too, with the files that were read and the messages (OPT-501).
func TestReproOfFailure(t *testing.T) {
	cubin := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k1.cubin", cubin)
	missing := filepath.ToSlash(t.TempDir()) + "/no.cubin"
	for args, want := range map[string]string{
		"-arch=sm_90 -o=x k1.cubin " + missing: "nvlink fatal   : Could not open input file '" + repro.Local(missing) + "'\n",
		"-arch=sm_90 k1.cubin":                 "nvlink fatal   : Must specify output file with -o option\n",
		"-wrong":                               "nvlink fatal   : Unknown option 'wrong'\n",
	} {
		p := pack(t, strings.Fields(args)...)
		if p.Exit != 1 || string(p.Stderr) != want || len(p.Outputs) != 0 {
			t.Errorf("%s: exit status %d, outputs %v, stderr %q", args, p.Exit, p.Outputs, p.Stderr)
		}
	}
}

// If the package cannot be written, this is a fatal error (OPT-501).
func TestReproUnwritable(t *testing.T) {
	t.Chdir(t.TempDir())
	var stderr bytes.Buffer
	if exit := run(t.Context(), []string{"nvlink", "--repro=no/r.tar", "-V"}, &bytes.Buffer{}, &stderr); exit != 1 {
		t.Errorf("exit status %d", exit)
	}
	if want := "nvlink fatal   : Could not open output file 'no/r.tar'\n"; stderr.String() != want {
		t.Errorf("stderr %q, want %q", stderr.String(), want)
	}
}
