package info

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/google/go-cmp/cmp"

	"github.com/culink/culink/linker/inspect"
)

var update = flag.Bool("update", false, "write testdata/*.txt anew")

// testdata has the expected output for compiled cubins, for a host object with a fat binary, and for an archive with
// that object.
func TestText(t *testing.T) {
	tests := []struct{ name, path string }{
		{"kernels", "../../linker/nvinfo/testdata/sync.90.cubin"},
		{"texture", "../../linker/nvinfo/testdata/texture.80.cubin"},
		{"debug", "../../linker/nvinfo/testdata/debug.80.cubin"},
		{"clusters", "../../linker/nvinfo/testdata/cluster.90.cubin"},
		{"mercury", "../../linker/nvinfo/testdata/plain.100.cubin"},
		{"host", fromCorpus(t, "host/references/sm_90/in/a.o")},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out, errors bytes.Buffer
			if status := Command().Run(t.Context(), []string{test.path}, &out, &errors); status != 0 || errors.Len() > 0 {
				t.Fatalf("status %d, %s%s", status, &errors, &out)
			}
			got := strings.ReplaceAll(out.String(), test.path, filepath.Base(test.path))
			golden := filepath.Join("testdata", test.name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// fromCorpus writes a file of the corpus into a temporary folder and returns its name.
func fromCorpus(t *testing.T, name string) string {
	t.Helper()
	data, err := corpus.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), path.Base(name))
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestJSON(t *testing.T) {
	var out, errors bytes.Buffer
	if status := Command().Run(t.Context(), []string{"-json", "../../linker/nvinfo/testdata/plain.90.cubin"}, &out, &errors); status != 0 {
		t.Fatal(status, &errors)
	}
	var parts []part
	if err := json.Unmarshal(out.Bytes(), &parts); err != nil {
		t.Fatal(err)
	}
	if len(parts) != 1 || parts[0].Cubin == nil || len(parts[0].Cubin.Functions) != 2 {
		t.Fatalf("%s", &out)
	}
	k := parts[0].Cubin.Functions[0]
	want := inspect.Function{
		Name: "_Z1kPi", Kernel: true, Code: 0x180, Registers: 24, MaxRegisters: 255,
		Constants: []inspect.Memory{{Section: ".nv.constant0", Size: 0x218}}, Parameters: []inspect.Parameter{{Offset: 0, Size: 8}},
	}
	if diff := cmp.Diff(want, *k.Function); diff != "" {
		t.Error(diff)
	}
}

// If a file cannot be opened or read completely, the exit status is Misuse, and the readable parts are shown (CONF-008).
func TestMisuse(t *testing.T) {
	var out, errors bytes.Buffer
	if status := Command().Run(t.Context(), nil, &out, &errors); status != 2 || !strings.Contains(errors.String(), "usage") {
		t.Errorf("no file: status %d, %s", status, &errors)
	}
	if status := Command().Run(t.Context(), []string{"testdata/none"}, &out, &errors); status != 2 {
		t.Errorf("missing file: status %d", status)
	}
	good, err := os.ReadFile("../../linker/nvinfo/testdata/plain.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{"k.cubin": "\x7fELF", "k.a": "!<arch>\n" + "k.cubin/        0           0     0     644     4         `\n\x7fELF", "cut.cubin": string(good[:len(good)/2])} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
		out.Reset()
		if status := Command().Run(t.Context(), []string{file}, &out, &errors); status != 2 || !strings.Contains(out.String(), "  error: ") {
			t.Errorf("%s: status %d, %s", name, status, &out)
		}
	}
}

// Cubins that are not linked are marked. An option shows names as they are in the source (CONF-008).
func TestNames(t *testing.T) {
	var out, errors bytes.Buffer
	linked, part := fromCorpus(t, "basic/two-files/sm_90/1.out/out.cubin"), fromCorpus(t, "basic/two-files/sm_90/in/caller.cubin")
	if status := Command().Run(t.Context(), []string{linked, part, "-demangle"}, &out, &errors); status != 0 {
		t.Fatal(status, &errors)
	}
	for _, want := range []string{linked + ": cubin, 4", part + ": cubin, not linked, ", "caller(int *)", "undefined   callee("} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// -schedule describes how each instruction is scheduled, and whether the schedule of each function is safe (MERC-142).
func TestSchedule(t *testing.T) {
	name := fromCorpus(t, "mercury/scoreboards/sm_100/1.out/out.cubin")
	var out, errors bytes.Buffer
	if status := Command().Run(t.Context(), []string{"-schedule", name}, &out, &errors); status != 0 {
		t.Fatal(status, &errors)
	}
	for _, want := range []string{"    schedule: safe\n", "      000030 0x981  stall 2, waits 0, results 2\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	out.Reset()
	if status := Command().Run(t.Context(), []string{"-schedule", "-json", name}, &out, &errors); status != 0 || !strings.Contains(out.String(), `"safety": "safe"`) {
		t.Errorf("status %d: %s", status, &out)
	}
}
