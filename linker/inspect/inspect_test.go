package inspect

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/cubintext"
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

// What the attributes of a kernel say is read, in both forms of a parameter; one that is cut off is
// damage (INFO-002).
func TestAttributes(t *testing.T) {
	const text = `cutext 1
header sm=80
section .shstrtab
section .strtab
section .symtab
	symbol .text.k
	symbol k global func .text.k other=entry
section .note.nv.cuinfo
	cuinfo
section .nv.info
	attr REGCOUNT @k 8
section .nv.info.k
	attr KPARAM_INFO 0 0x00080001 0x00210000
	attr 0x45 0 0x00000000 0x00000008
	attr MAXREG_COUNT 40
	attr 0x05 128 2 1
	attr 0x10 64 3 1
	attr 0x3d 2 1 4
	hex 034c0301
	END
section .text.k regs=8
	u64 0x000000000000794d 0x000fea0003800000
`
	read := func(last string) *Part {
		data, err := cubintext.Parse("k.txt", strings.Replace(text, "END", last, 1))
		if err != nil {
			t.Fatal(err)
		}
		return Read("k.cubin", data)
	}
	p := read("")
	if p.Error != "" || len(p.Cubin.Functions) != 1 {
		t.Fatalf("%q, %+v", p.Error, p.Cubin)
	}
	if p.Cubin.Virtual != "compute_80" || p.Cubin.Toolkit != "13.0" {
		t.Errorf("virtual %q, toolkit %q", p.Cubin.Virtual, p.Cubin.Toolkit)
	}
	if fn := p.Cubin.Functions[0]; fn.MaxRegisters != 40 || !slices.Equal(fn.Parameters, []Parameter{{0, 8}, {8, 8}}) {
		t.Errorf("%+v", fn)
	}
	if fn := p.Cubin.Functions[0]; fn.Barriers != 3 || !slices.Equal(fn.Threads, []uint32{128, 2, 1}) || !slices.Equal(fn.Required, []uint32{64, 3, 1}) ||
		!slices.Equal(fn.Cluster, []uint32{2, 1, 4}) {
		t.Errorf("%+v", fn)
	}
	if p := read("hex 0417ff00"); p.Error == "" {
		t.Error("an attribute that is cut off is no damage")
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

// Device code may lie at the very end of a host object, and not behind it.
func TestEndOfHostFile(t *testing.T) {
	object, err := os.ReadFile("../../corpus/host/references/sm_90/in/a.o")
	if err != nil {
		t.Fatal(err)
	}
	f, err := elf.NewFile(bytes.NewReader(object))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(f.Sections, func(s *elf.Section) bool { return s.Name == hostSections[0] })
	code, err := f.Sections[i].Data()
	if err != nil {
		t.Fatal(err)
	}
	whole := append(bytes.Clone(object), code...)
	const tableOffset, headerSize, offsetInHeader = 40, 64, 24
	header := whole[binary.LittleEndian.Uint64(whole[tableOffset:])+uint64(i)*headerSize+offsetInHeader:]
	for _, c := range []struct {
		offset, size int
		outside      bool
	}{
		{len(object), len(code), false}, {len(object), len(code) + 1, true}, {len(whole), 0, false}, {len(whole) + 1, 0, true},
	} {
		binary.LittleEndian.PutUint64(header, uint64(c.offset))
		binary.LittleEndian.PutUint64(header[8:], uint64(c.size))
		if p := Read("a.o", whole); strings.Contains(p.Error, "runs past the end") != c.outside || c.outside && p.Kind != KindHost {
			t.Errorf("%d bytes at %d of %d: %q", c.size, c.offset, len(whole), p.Error)
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
	if p.Kind != KindHost || len(cubins) != 1 || cubins[0].Packed == "" || int64(len(cubins[0].Data)) != cubins[0].Size || p.Damaged() {
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

// All cubins of an archive are found, and no more than are asked for; what comes after damage is not read.
func TestArchive(t *testing.T) {
	good, err := os.ReadFile("../../linker/nvinfo/testdata/plain.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	member := func(name string) craft.Member { return craft.Member{Name: name + "/", Data: good} }
	data := craft.Archive(member("a"), member("b"), member("c"))
	p := Read("x.a", data)
	if cubins := slices.Collect(p.Cubins()); len(cubins) != 3 || cubins[2].Name != "c" || len(cubins[0].Cubin.Tools) == 0 {
		t.Errorf("%d cubins", len(cubins))
	}
	asked := 0
	for range p.Cubins() {
		if asked++; asked == 2 {
			break
		}
	}
	if asked != 2 {
		t.Errorf("%d cubins were told of, 2 asked for", asked)
	}
	if p := Read("x.a", append(data, "no header"...)); p.Error == "" || len(p.Parts) != 3 {
		t.Errorf("%q, %d parts", p.Error, len(p.Parts))
	}
}
