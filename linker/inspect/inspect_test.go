package inspect

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestDamage(t *testing.T) {
	good, err := os.ReadFile("../../linker/nvinfo/testdata/plain.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	archive := "!<arch>\n" + "k.cubin/        0           0     0     644     4         `\n\x7fELF"
	tests := []struct {
		name, data string
		kind       Kind
		err        string
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
}

// Device code lies in executables and shared objects of the host, too (CONF-008).
func TestHostFiles(t *testing.T) {
	object, err := os.ReadFile("../../corpus/host/references/sm_90/in/a.o")
	if err != nil {
		t.Fatal(err)
	}
	const fileType = 16 // place of e_type
	for value, kind := range map[byte]Kind{1: KindHost, 2: KindProgram, 3: KindShared} {
		file := bytes.Clone(object)
		file[fileType] = value
		if p := Read("x", file); p.Kind != kind || len(p.Parts) == 0 {
			t.Errorf("type %d: %s with %d parts, want %s", value, p.Kind, len(p.Parts), kind)
		}
	}
}

// Every cubin of a container is found, unpacked, and what cannot be read in one is damage of
// all.
func TestCubins(t *testing.T) {
	object, err := os.ReadFile("../../corpus/host/references/sm_90/in/a.o")
	if err != nil {
		t.Fatal(err)
	}
	p := Read("a.o", object)
	cubins := slices.Collect(p.Cubins())
	if len(cubins) != 1 || cubins[0].Packed == "" || int64(len(cubins[0].Data)) != cubins[0].Size || p.Damaged() {
		t.Fatalf("%d cubins, damaged: %t", len(cubins), p.Damaged())
	}
	var kernels []string
	for fn := range cubins[0].Cubin.Kernels() {
		kernels = append(kernels, fn.Name)
	}
	if got := strings.Join(kernels, " "); got != "_Z4usedPi _Z6unusedPi" {
		t.Errorf("kernels %s", got)
	}
	if direct := Read("x", cubins[0].Data); direct.Kind != KindCubin || direct.Cubin.File != Relocatable || !direct.Cubin.Unlinked {
		t.Errorf("unpacked: %s, %+v", direct.Kind, direct.Cubin)
	}
	p.Parts[0].Error = "damage"
	if !p.Damaged() {
		t.Error("damage within is no damage")
	}
}
