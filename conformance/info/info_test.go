package info

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/*.txt anew")

// The text for compiled cubins, a host object with a fat binary, and an archive of
// it stands in testdata.
func TestText(t *testing.T) {
	tests := []struct{ name, path string }{
		{"kernels", "../../linker/nvinfo/testdata/sync.90.cubin"},
		{"texture", "../../linker/nvinfo/testdata/texture.80.cubin"},
		{"debug", "../../linker/nvinfo/testdata/debug.80.cubin"},
		{"clusters", "../../linker/nvinfo/testdata/cluster.90.cubin"},
		{"mercury", "../../linker/nvinfo/testdata/plain.100.cubin"},
		{"host", "../../corpus/host/references/sm_90/in/a.o"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out, errors bytes.Buffer
			if status := Command().Run(t.Context(), []string{test.path}, &out, &errors); status != 0 || errors.Len() > 0 {
				t.Fatalf("status %d, %s%s", status, &errors, &out)
			}
			golden := filepath.Join("testdata", test.name+".txt")
			if *update {
				if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), out.String()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestJSON(t *testing.T) {
	var out, errors bytes.Buffer
	if status := Command().Run(t.Context(), []string{"-json", "../../linker/nvinfo/testdata/plain.90.cubin"}, &out, &errors); status != 0 {
		t.Fatal(status, &errors)
	}
	var parts []Part
	if err := json.Unmarshal(out.Bytes(), &parts); err != nil {
		t.Fatal(err)
	}
	if len(parts) != 1 || parts[0].Cubin == nil || len(parts[0].Cubin.Functions) != 2 {
		t.Fatalf("%s", &out)
	}
	k := parts[0].Cubin.Functions[0]
	want := Function{
		Name: "_Z1kPi", Kernel: true, Code: 0x180, Registers: 24, MaxRegisters: 255,
		Constants: []Memory{{".nv.constant0", 0x218}}, Parameters: []Parameter{{0, 8}},
	}
	if diff := cmp.Diff(want, k); diff != "" {
		t.Error(diff)
	}
}

func TestDamage(t *testing.T) {
	good, err := os.ReadFile("../../linker/nvinfo/testdata/plain.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	archive := "!<arch>\n" + "k.cubin/        0           0     0     644     4         `\n\x7fELF"
	tests := []struct {
		name, data, kind, err string
	}{
		{"empty", "", KindOther, ""},
		{"text", "hello", KindOther, ""},
		{"PTX", "//\n.version 8.0\n", KindPTX, ""},
		{"ELF magic alone", "\x7fELF", KindCubin, "truncated"},
		{"cut off cubin", string(good[:len(good)-100]), KindCubin, ""},
		{"host object cut off", "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 57), KindHost, "ELF version"},
		{"archive of a broken cubin", archive, KindArchive, ""},
	}
	for _, test := range tests {
		p := Read("x", []byte(test.data))
		if p.Kind != test.kind || !strings.Contains(p.Error, test.err) {
			t.Errorf("%s: %s, %q", test.name, p.Kind, p.Error)
		}
	}
	var out, errors bytes.Buffer
	if status := Command().Run(t.Context(), nil, &out, &errors); status != 2 || !strings.Contains(errors.String(), "usage") {
		t.Errorf("no file: status %d, %s", status, &errors)
	}
	if status := Command().Run(t.Context(), []string{"testdata/none"}, &out, &errors); status != 2 {
		t.Errorf("missing file: status %d", status)
	}
}

// Device code lies in executables and shared objects of the host, too, and names are shown
// as the source has them on demand (CONF-008).
func TestHostFiles(t *testing.T) {
	object, err := os.ReadFile("../../corpus/host/references/sm_90/in/a.o")
	if err != nil {
		t.Fatal(err)
	}
	const fileType = 16 // place of e_type
	for value, kind := range map[byte]string{1: KindHost, 2: KindProgram, 3: KindShared} {
		file := bytes.Clone(object)
		file[fileType] = value
		if p := Read("x", file); p.Kind != kind || len(p.Parts) == 0 {
			t.Errorf("type %d: %s with %d parts, want %s", value, p.Kind, len(p.Parts), kind)
		}
	}
	var out, errors bytes.Buffer
	const linked, part = "../../corpus/basic/two-files/sm_90/1.out/out.cubin", "../../corpus/basic/two-files/sm_90/in/caller.cubin"
	if status := Command().Run(t.Context(), []string{linked, part, "-demangle"}, &out, &errors); status != 0 {
		t.Fatal(status, &errors)
	}
	for _, want := range []string{linked + ": cubin, 4", part + ": cubin, not linked, ", "caller(int *)", "undefined   callee("} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}
