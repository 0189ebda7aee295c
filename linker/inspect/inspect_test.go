package inspect

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/google/go-cmp/cmp"
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
		{"ELF magic alone", "\x7fELF", KindOther, "ends in its header"},
		{"ELF header without a machine", "\x7fELF" + strings.Repeat("\x01", 15), KindOther, "ends in its header"},
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

// The attributes of a kernel are read, in both forms of a parameter. A truncated attribute is reported as
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
	attr 0x45 0 0x00140003 0x00000004
	attr KPARAM_INFO 0 0x00100002 0x00110000
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
	if got := strings.Join(p.Cubin.Features, ", "); got != "more than 4 KB of parameters" { // attribute 0x45
		t.Errorf("features %q", p.Cubin.Features)
	}
	if p.Cubin.Virtual != "compute_80" || p.Cubin.Toolkit != "13.0" {
		t.Errorf("virtual %q, toolkit %q", p.Cubin.Virtual, p.Cubin.Toolkit)
	}
	if fn := p.Cubin.Functions[0]; fn.MaxRegisters != 40 || !slices.Equal(fn.Parameters, []Parameter{{0, 8}, {8, 8}, {16, 4}, {20, 4}}) {
		t.Errorf("%+v", fn)
	}
	if fn := p.Cubin.Functions[0]; fn.Barriers != 3 || !slices.Equal(fn.Threads, []uint32{128, 2, 1}) || !slices.Equal(fn.Required, []uint32{64, 3, 1}) ||
		!slices.Equal(fn.Cluster, []uint32{2, 1, 4}) {
		t.Errorf("%+v", fn)
	}
	if p := read("hex 0417ff00"); !strings.HasPrefix(p.Error, "k.cubin: section .nv.info.k: ") {
		t.Errorf("an attribute that is cut off: %q", p.Error)
	}
}

// Device code is also found in executables and shared objects of the host (CONF-008).
func TestHostFiles(t *testing.T) {
	object, err := corpus.Files.ReadFile("host/references/sm_90/in/a.o")
	if err != nil {
		t.Fatal(err)
	}
	const fileType = 16 // offset of e_type
	for value, kind := range map[byte]Kind{1: KindHost, 2: KindProgram, 3: KindShared} {
		file := bytes.Clone(object)
		file[fileType] = value
		if p := Read("x", file); p.Kind != kind || len(p.Parts) == 0 {
			t.Errorf("type %d: %s with %d parts, want %s", value, p.Kind, len(p.Parts), kind)
		}
	}
}

// Device code may end where the host object ends, but not later.
func TestEndOfHostFile(t *testing.T) {
	object, err := corpus.Files.ReadFile("host/references/sm_90/in/a.o")
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
		if p := Read("a.o", whole); strings.Contains(p.Error, "runs past the end") != c.outside || c.outside && (p.Kind != KindHost || len(p.Parts) > 0) {
			t.Errorf("%d bytes at %d of %d: %q", c.size, c.offset, len(whole), p.Error)
		}
	}
}

// Every cubin of a container is found and decompressed. If one of them is damaged, the whole counts as damaged.
func TestCubins(t *testing.T) {
	object, err := corpus.Files.ReadFile("host/references/sm_90/in/a.o")
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
	for fn := range cubins[0].Cubin.Kernels() {
		if fn.Name != kernels[0] {
			t.Errorf("kernel %s after the first", fn.Name)
		}
		break
	}
	if direct := Read("x", cubins[0].Data); direct.Kind != KindCubin || direct.Cubin.File != Relocatable || !direct.Cubin.Unlinked {
		t.Errorf("unpacked: %s, %+v", direct.Kind, direct.Cubin)
	}
	p.Parts[0].Error = "damage"
	if !p.Damaged() {
		t.Error("damage within is no damage")
	}
}

// All cubins of an archive are found, up to the requested number. Members after damage are not read.
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

// The sections of a cubin describe the file and each function. The test covers different orders of sections,
// and missing information.
func TestSections(t *testing.T) {
	data, err := cubintext.Parse("k.txt", `cutext 1
header sm=90
section .shstrtab
section .strtab
section .symtab
	symbol .text.k
	symbol own local data undef
	symbol weak weak func undef
	symbol .nv.own global data undef
	symbol z global func undef
	symbol b global func undef
	symbol v global data .nv.global other=global size=4
	symbol f global func .text.f
	symbol k global func .text.k other=entry
	symbol e global func .text.e
	symbol a global func .text.a other=entry
section .nv.info
	attr REGCOUNT @k 8
	attr FRAME_SIZE @k 16
	attr MIN_STACK_SIZE @k 24
	attr REGCOUNT @f 9
	attr MIN_STACK_SIZE @f 0xffffffff
	attr REGCOUNT 0x4000 77
	attr 0x53 0
section .nv.compat
	attr CUDA_ACCELERATOR_TARGET 1
section .nv.info.k
	attr 0x5b 0
	attr 0x16 0
	attr 0x16 0
	attr 0xee 0
section .nv.info.f
	attr 0x16 0
section .nv.shared.k size=64
section .nv.shared.gone size=32
section .nv.constant0.k
	u64 1
section .nv.constant2.k
	u64 1 2
section .nv.constant0.gone
	u64 1
section .nv.constant3
	u64 1 2 3
section .nv.global size=4
section .nv.global.init
	u64 5
section .nv.capmerc.text.k type=1
	u64 1
section .debug_info
	u64 1
section .debug_line
	u64 1
section .text.k regs=8
	u64 0x000000000000794d 0x000fea0003800000
section .text.f regs=8
	u64 0x000000000000794d 0x000fea0003800000
section .text.e regs=8
	u64 0x000000000000794d 0x000fea0003800000
section .text.a regs=8
	u64 0x000000000000794d 0x000fea0003800000
`)
	if err != nil {
		t.Fatal(err)
	}
	p := Read("k.cubin", data)
	if p.Error != "" {
		t.Fatal(p.Error)
	}
	stack := uint32(24)
	want := &Cubin{
		Target: "sm_90a", File: Relocatable, Unlinked: true, ABI: p.Cubin.ABI,
		Memory: []Memory{{".nv.constant0.gone", 8}, {".nv.constant3", 24}, {".nv.global", 4}, {".nv.global.init", 8}},
		Functions: []Function{
			{Name: "a", Kernel: true},
			{Name: "k", Kernel: true, Registers: 8, Frame: 16, Stack: &stack, Shared: 64,
				Constants: []Memory{{".nv.constant0", 8}, {".nv.constant2", 16}}, Features: []string{"grid of clusters", "bindless surfaces"}},
			{Name: "e"},
			{Name: "f", Registers: 9, StackUnknown: true, Features: []string{"bindless surfaces"}},
		},
		Undefined: []string{"b", "z"},
		Features:  []string{"Mercury code", "bindless surfaces", "debug code", "debug information", "grid of clusters", "line information"},
	}
	for i := range want.Functions {
		want.Functions[i].Code = 16
	}
	if d := cmp.Diff(want, p.Cubin); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

// These attributes show which hardware features are used. Their numbers are those of docs/attributes.md.
func TestFeatures(t *testing.T) {
	for code, want := range map[nvinfo.Code]string{
		0x15: "bindless textures", 0x16: "bindless surfaces", 0x28: "warp synchronisation", 0x2b: "matrix instructions", 0x2e: "emulated half atomics",
		0x34: "indirect branches", 0x3e: "clusters", 0x4d: "independent texture mode", 0x53: "debug code", 0x57: "stack protector", 0x5b: "grid of clusters",
	} {
		if got := features[code]; got != want {
			t.Errorf("%#x: %q, want %q", code, got, want)
		}
	}
}

// Containers of all kinds may be nested up to a limit.
func TestDepth(t *testing.T) {
	good, err := os.ReadFile("../../linker/nvinfo/testdata/plain.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	for kind, wrap := range map[Kind]func([]byte) []byte{
		KindArchive: func(data []byte) []byte { return craft.Archive(craft.Member{Name: "m/", Data: data}) },
		KindFatbin:  func(data []byte) []byte { return craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: data}) },
	} {
		data := good
		for range 5 {
			data = wrap(data)
		}
		if p := Read("x", data); p.Kind != kind || p.Damaged() || len(slices.Collect(p.Cubins())) != 1 {
			t.Errorf("five of %s: %s, damaged: %v", kind, p.Kind, p.Damaged())
		}
		p := Read("x", wrap(data))
		if !p.Damaged() || len(slices.Collect(p.Cubins())) != 0 {
			t.Errorf("six of %s: damaged: %v", kind, p.Damaged())
		}
		for p.Error == "" && len(p.Parts) > 0 {
			p = p.Parts[0]
		}
		if p.Error != "nested too deep" {
			t.Errorf("six of %s: %q", kind, p.Error)
		}
	}
}

// The version directive of PTX must be in the first bytes of a file.
func TestPTX(t *testing.T) {
	const version = ".version "
	for at, want := range map[int]Kind{0: KindPTX, 4096 - len(version): KindPTX, 4097 - len(version): KindOther} {
		if p := Read("x", []byte(strings.Repeat(" ", at)+version+"8.0")); p.Kind != want {
			t.Errorf("at %d: %s, want %s", at, p.Kind, want)
		}
	}
}

// Fat binaries may follow each other with zeros between them. Each entry has its own kind and compression, and
// damage in one entry does not affect the others.
func TestFatbins(t *testing.T) {
	payload := []byte("some text that is no code, some text that is no code.")
	first := craft.Fatbin(
		craft.Entry{Kind: 1, Arch: 90, Payload: payload}, craft.Entry{Kind: 8, Arch: 90, Payload: payload, Compress: "lz4"},
		craft.Entry{Kind: 2, Arch: 90, Payload: payload, Compress: "zstd"},
	)
	damaged := craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Flags: 0x8000, Payload: payload})
	const headerSize = 16
	damaged[headerSize+craft.EntryCompressedSize], damaged[headerSize+craft.EntryDecodedSize] = byte(len(payload)), 99
	second := craft.Fatbin(craft.Entry{Kind: 1, Arch: 80, Payload: payload})
	empty := make([]byte, 64)
	copy(empty, first[:6]) // has a size of 0
	list := func(p *Part) (all []string) {
		for _, q := range p.Parts {
			text := string(q.Kind)
			if q.Packed != "" {
				text += " " + q.Packed
			}
			if q.Error != "" {
				text += " damaged"
			}
			all = append(all, text)
		}
		return all
	}
	whole := []string{"PTX", "LTO-IR LZ4", "no device code zstd"}
	for _, c := range []struct {
		name  string
		data  []byte
		want  []string
		fails bool
	}{
		{"one", first, whole, false},
		{"two", slices.Concat(first, second), append(slices.Clone(whole), "PTX"), false},
		{"two, with zeros between and behind", slices.Concat(first, make([]byte, 24), second, make([]byte, 8)), append(slices.Clone(whole), "PTX"), false},
		{"something else behind", slices.Concat(second, []byte("text")), []string{"PTX"}, false},
		{"one that cannot be decoded", slices.Concat(damaged, second), []string{"no device code damaged", "PTX"}, false},
		{"cut off in the second entry's header", first[:len(second)+8], []string{"PTX"}, true},
		{"empty", empty, nil, false},
	} {
		p := Read("x", c.data)
		if got := list(p); p.Kind != KindFatbin || !slices.Equal(got, c.want) || (p.Error != "") != c.fails {
			t.Errorf("%s: %s of %q, %q; want %q", c.name, p.Kind, got, p.Error, c.want)
		}
	}
}

// A host object without device code is not recognised. A position-independent executable is recognised by its
// PT_INTERP header.
func TestHostKinds(t *testing.T) {
	fatbin := craft.Fatbin(craft.Entry{Kind: 1, Arch: 90, Payload: []byte("text")})
	without := craft.HostObject(craft.Section{Name: ".data", Data: fatbin})
	if p := Read("x.o", without); p.Kind != KindOther || p.Error != "" || len(p.Parts) > 0 {
		t.Errorf("without device code: %s, %q", p.Kind, p.Error)
	}
	if p := Read("x.o", craft.HostObject(craft.Section{Name: ".nv_fatbin", Data: []byte("no fat binary at all")})); p.Kind != KindOther || p.Error != "" {
		t.Errorf("with other data: %s, %q", p.Kind, p.Error)
	}
	const fileType, programOffset, programSize, programCount, sizeOfProgram = 16, 32, 54, 56, 56
	const relocatable, executable, shared = 1, 2, 3
	const load, loader = 1, 3
	for _, c := range []struct {
		file, program byte
		want          Kind
	}{
		{relocatable, loader, KindHost}, {executable, load, KindProgram}, {executable, loader, KindProgram}, {shared, load, KindShared}, {shared, loader, KindProgram},
	} {
		data := craft.HostObject(craft.Section{Name: ".nv_fatbin", Data: fatbin})
		data[fileType] = c.file
		binary.LittleEndian.PutUint64(data[programOffset:], uint64(len(data)))
		data[programSize], data[programCount] = sizeOfProgram, 1
		data = append(data, make([]byte, sizeOfProgram)...)
		data[len(data)-sizeOfProgram] = c.program
		if p := Read("x", data); p.Kind != c.want || p.Error != "" || len(p.Parts) != 1 {
			t.Errorf("file type %d, program of type %d: %s, want %s; %q", c.file, c.program, p.Kind, c.want, p.Error)
		}
	}
}

// TestConcatenated checks that each image of a concatenated entry is a part. If the entry is damaged, its valid
// images are shown (KIT-200).
func TestConcatenated(t *testing.T) {
	const version = ".version 8.0\n.target sm_80\n"
	entry := craft.Entry{Kind: 0x100, Compress: "zstd", Images: []craft.Entry{
		{Kind: 1, Arch: 80, Payload: []byte(strings.Repeat(version, 4))}, {Kind: 8, Arch: 90, Payload: []byte("code")},
	}}
	b := craft.Fatbin(entry)
	p := Read("f", b)
	if p.Damaged() || len(p.Parts) != 2 || p.Parts[0].Kind != KindPTX || p.Parts[0].Packed != "zstd" || p.Parts[1].Kind != KindLTO || p.Parts[1].Size != 4 {
		t.Errorf("%+v", p)
	}
	b[16+64] = 3 // images
	p = Read("f", b)
	if !p.Damaged() || len(p.Parts) != 3 || !strings.Contains(p.Parts[2].Error, "record of image 2 past the end of the header") {
		t.Errorf("%+v", p)
	}
}
