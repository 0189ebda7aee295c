package input

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/cubin"
)

// offShStrNdx is the offset of e_shstrndx in an ELF64 header.
const offShStrNdx = 62

// A material is one of the compiled files of testdata: k.cu or w.cu, compiled by nvcc 13.0.88 for the
// architecture in the name. exec.90 is w.cu compiled without -rdc.
type material []byte

func load(t *testing.T, name string) material {
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A patch overwrites a number in a copy of a file.
type patch struct {
	offset, width int
	value         uint64
}

func u8at(offset int, v uint8) patch   { return patch{offset, 1, uint64(v)} }
func u16at(offset int, v uint16) patch { return patch{offset, 2, uint64(v)} }
func u32at(offset int, v uint32) patch { return patch{offset, 4, uint64(v)} }
func u64at(offset int, v uint64) patch { return patch{offset, 8, v} }

func (m material) with(patches ...patch) material {
	b := append(material(nil), m...)
	for _, p := range patches {
		var v [8]byte
		binary.LittleEndian.PutUint64(v[:], p.value)
		copy(b[p.offset:p.offset+p.width], v[:])
	}
	return b
}

// section returns the offsets of a section's header and contents.
func (m material) section(t *testing.T, name string) (header, contents int) {
	f, err := cubin.Open(name, m)
	if err != nil {
		t.Fatal(err)
	}
	s := f.Section(name)
	if s == nil {
		t.Fatalf("no section %s", name)
	}
	return int(f.ShOff) + 64*int(s.Index), int(s.Offset)
}

func situations(t *testing.T) []situation {
	k75, k90, k100 := load(t, "k.75.cubin"), load(t, "k.90.cubin"), load(t, "k.100.cubin")
	w80, w90, w90a, exec90 := load(t, "w.80.cubin"), load(t, "w.90.cubin"), load(t, "w.90a.cubin"), load(t, "exec.90.cubin")
	var all []situation
	add := func(s situation) {
		if s.arch != "" {
			s.name += " on " + s.arch
		}
		all = append(all, s)
	}
	one := func(name, file string, data []byte) {
		add(situation{name: name, files: []inputFile{{file, data}}})
	}

	// Headers of cubins.
	cuinfoHeader, cuinfo := k90.section(t, ".note.nv.cuinfo")
	flags := binary.LittleEndian.Uint32(k90[offFlags:])
	headers := []struct {
		name    string
		patches []patch
	}{
		{"as it is", nil},
		{"no magic", []patch{u8at(0, 0)}},
		{"class 1", []patch{u8at(offClass, 1)}},
		{"big endian", []patch{u8at(offEncoding, 2)}},
		{"OSABI 0", []patch{u8at(offOSABI, 0)}},
		{"OSABI of toolkit 12", []patch{u8at(offOSABI, 0x33)}},
		{"ABI version 7", []patch{u8at(offABIVersion, 7)}},
		{"executable", []patch{u16at(offType, 2)}},
		{"shared object", []patch{u16at(offType, 3)}},
		{"extended whole program", []patch{u16at(offType, 0xff00)}},
		{"machine x86", []patch{u16at(offMachine, 62)}},
		{"executable for x86", []patch{u16at(offType, 2), u16at(offMachine, 62)}},
		{"no section table", []patch{u64at(offShOff, 0)}},
		{"section table outside", []patch{u64at(offShOff, uint64(len(k90)))}},
		{"section headers of 65 bytes", []patch{u16at(offShEntSize, 65)}},
		{"too many sections", []patch{u16at(offShNum, uint16(len(k90)/64))}},
		{"program headers of no size", []patch{u16at(offPhNum, 1)}},
		{"program headers inside", []patch{u16at(offPhNum, 1), u16at(offPhEntSize, 56)}},
		{"program headers outside", []patch{u16at(offPhNum, 1), u16at(offPhEntSize, 56), u64at(offPhOff, uint64(len(k90)-55))}},
		{"name table outside", []patch{u16at(offShStrNdx, 99)}},
		{"another architecture", []patch{u8at(offFlags+1, 80)}},
		{"a later architecture", []patch{u8at(offFlags+1, 100)}},
		{"architecture 0", []patch{u8at(offFlags+1, 0)}},
		{"architecture of 16 bits", []patch{u8at(offFlags+2, 1)}},
		{"no note index", []patch{u8at(offFlags+3, 0)}},
		{"note index outside", []patch{u8at(offFlags+3, 200)}},
		{"kind 0", []patch{u8at(offFlags, 0)}},
		{"kind Mercury", []patch{u8at(offFlags, 2)}},
		{"kinds code and Mercury", []patch{u8at(offFlags, 6)}},
		{"note is no note", []patch{u32at(cuinfoHeader+4, 1)}},
		{"note outside", []patch{u64at(cuinfoHeader+24, uint64(len(k90)))}},
		{"note record 1", []patch{u16at(cuinfo+24, 1)}},
		{"toolkit 11.9", []patch{u32at(cuinfo+28, 119)}},
		{"toolkit 12.0", []patch{u32at(cuinfo+28, 120)}},
		{"toolkit 13.1", []patch{u32at(cuinfo+28, 131)}},
		{"toolkit of 32 bits", []patch{u32at(cuinfo+28, 0x10082)}},
		{"toolkit 13.1, both kinds", []patch{u32at(cuinfo+28, 131), u8at(offFlags, 6)}},
		{"legacy", []patch{u8at(offOSABI, 0x33), u8at(offABIVersion, 7), u32at(offFlags, 0x5a055a), u32at(offVersion, 124)}},
		{"legacy, toolkit 11.8", []patch{u8at(offOSABI, 0x33), u8at(offABIVersion, 7), u32at(offFlags, 0x5a055a), u32at(offVersion, 118)}},
		{"legacy, toolkit 13.2", []patch{u8at(offOSABI, 0x33), u8at(offABIVersion, 7), u32at(offFlags, 0x5a055a), u32at(offVersion, 132)}},
		{"legacy, toolkit -1", []patch{u8at(offOSABI, 0x33), u8at(offABIVersion, 7), u32at(offFlags, 0x5a055a), u32at(offVersion, 0xffffffff)}},
		{"legacy, 32-bit addresses", []patch{u8at(offOSABI, 0x33), u8at(offABIVersion, 7), u32at(offFlags, 0x5a015a), u32at(offVersion, 124)}},
		{"legacy, bit 31", []patch{u8at(offOSABI, 0x33), u8at(offABIVersion, 7), u32at(offFlags, 0x805a055a), u32at(offVersion, 124)}},
		{"legacy, Mercury", []patch{u8at(offOSABI, 0x33), u8at(offABIVersion, 7), u32at(offFlags, 0x5a455a), u32at(offVersion, 124)}},
		{"legacy, 32-bit addresses, ABI 8", []patch{u8at(offOSABI, 0x33), u32at(offFlags, flags)}},
	}
	for _, h := range headers {
		one("cubin, "+h.name, "x.cubin", k90.with(h.patches...))
		add(situation{name: "cubin, " + h.name, arch: "sm_100", files: []inputFile{{"x.cubin", k90.with(h.patches...)}}})
	}
	_, cuinfo75 := k75.section(t, ".note.nv.cuinfo")
	for _, api := range []uint32{0, 118, 131} {
		add(situation{name: fmt.Sprintf("cubin, toolkit %d", api), arch: "sm_75", files: []inputFile{{"x.cubin", k75.with(u32at(cuinfo75+28, api))}}})
	}
	for _, kind := range []uint8{0, 2, 3, 4, 6, 8, 10} {
		for _, target := range []string{"sm_100", "sm_103", "sm_120"} {
			add(situation{name: fmt.Sprintf("Mercury cubin, kind %d", kind), arch: target, files: []inputFile{{"x.cubin", k100.with(u8at(offFlags, kind))}}})
		}
	}
	for _, h := range headers[:20] { // patches of the ELF header only
		for _, target := range []string{"sm_100", "sm_103", "sm_90"} {
			add(situation{name: "Mercury cubin, " + h.name, arch: target, files: []inputFile{{"x.cubin", k100.with(h.patches...)}}})
		}
	}
	compatHeader, compat := k100.section(t, ".nv.compat")
	for _, c := range []struct {
		name  string
		patch patch
	}{
		{"attribute 9", u8at(compat+2, 1)}, {"no attribute 2", u8at(compat+5, 0)}, {"attribute 2 is 0", u8at(compat+6, 0)},
		{"attribute 2 is 2", u8at(compat+6, 2)}, {"attribute 2 is 3", u8at(compat+6, 3)}, {"attribute 5 is 9", u8at(compat+10, 9)},
		{"attribute 7 is 2", u8at(compat+14, 2)}, {"attribute 7 has 2 behind", u8at(compat+15, 2)}, {"attribute 6 is 4", u8at(compat+22, 4)},
		{"attribute 6 is 5", u8at(compat+22, 5)}, {"four bytes", u64at(compatHeader+32, 4)}, {"eight bytes", u64at(compatHeader+32, 8)},
		{"another type", u32at(compatHeader+4, 1)}, {"another name", u32at(compatHeader, 1)},
	} {
		for _, target := range []string{"sm_100", "sm_100a", "sm_103"} {
			add(situation{name: "Mercury cubin, .nv.compat, " + c.name, arch: target, files: []inputFile{{"x.cubin", k100.with(c.patch)}}})
		}
	}
	for _, n := range []int{0, 1, 55, 56, 63, 64, len(k90) - 1} {
		for _, suffix := range []string{"cubin", "o", "fatbin", "ptx", "a", "so"} {
			one(fmt.Sprintf("cubin, first %d bytes, .%s", n, suffix), "x."+suffix, k90[:n])
			all[len(all)-1].beyond = suffix == "ptx" && n > minSize
		}
	}

	// Kinds of files by suffix.
	fb := craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: w90})
	obj := craft.RDC(fb, "_w")
	contents := []struct {
		name string
		data []byte
	}{
		{"cubin", w90}, {"host object", obj}, {"fat binary", fb}, {"archive", craft.Archive(craft.Member{Name: "m.o/", Data: obj})},
		{"fat binary of PTX", craft.Fatbin(craft.Entry{Kind: 1, Arch: 100, Payload: []byte(strings.Repeat("text ", 20))})},
		{"text", []byte(strings.Repeat("some text\n", 10))}, {"executable cubin", exec90},
	}
	for _, c := range contents {
		for _, name := range []string{"x.cubin", "x.o", "x.a", "x.so", "x", "x.fatbin", "x.ptx", "x.nvvm", "x.ltoir", "x.bc", "x.CUBIN", "x.cubin.txt", "d.cubin/x", ".cubin", "x.", "libcudadevrt.a", "mylibcudadevrt.a"} {
			one(c.name+" named "+name, name, c.data)
		}
	}
	for _, name := range []string{"x.cubin", "x.o", "x.so", "x", "x.fatbin", "x.ptx", "x.ltoir", "x.a"} {
		one("empty archive named "+name, name, []byte("!<arch>\n"))
		one("empty thin archive named "+name, name, []byte("!<thin>\n"))
		one("start of an archive named "+name, name, []byte("!<arch>\nk.o/   "))
	}
	add(situation{name: "missing file", args: "nosuch.cubin"})
	add(situation{name: "missing file without suffix", args: "nosuch"})
	add(situation{name: "missing shared object", args: "nosuch.so"})
	add(situation{name: "missing file, lto", arch: "lto_90", args: "nosuch.cubin"})
	add(situation{name: "folder", args: "d.cubin", files: []inputFile{{"d.cubin/x", w90}}})
	add(situation{name: "folder without suffix", args: "d", files: []inputFile{{"d/x", w90}}})
	add(situation{name: "bad before missing", args: "x.cubin nosuch.cubin", files: []inputFile{{"x.cubin", k75}}})
	add(situation{name: "missing before bad", args: "nosuch.cubin x.cubin", files: []inputFile{{"x.cubin", k75}}})
	add(situation{name: "compute target", arch: "compute_90", files: []inputFile{{"x.cubin", k90}}})
	add(situation{name: "compute target, wrong architecture", arch: "compute_80", files: []inputFile{{"x.cubin", k90}}})
	add(situation{name: "compute target, host object", arch: "compute_90", files: []inputFile{{"x.o", obj}}})
	add(situation{name: "two limited inputs", arch: "sm_100", files: []inputFile{{"a.cubin", k100.with(u8at(offFlags, 4))}, {"b.cubin", k100.with(u8at(offFlags, 4))}}})
	add(situation{name: "limited with -Werror", arch: "sm_100", args: "-Werror a.cubin", files: []inputFile{{"a.cubin", k100.with(u8at(offFlags, 4))}}})
	add(situation{name: "cubin of 90a", files: []inputFile{{"x.cubin", w90a}}})

	all = append(all, fatbinSituations(t, map[string]material{"k75": k75, "k90": k90, "k100": k100, "w80": w80, "w90": w90, "w90a": w90a, "exec90": exec90})...)
	all = append(all, hostSituations(obj, fb, k90, exec90)...)
	all = append(all, archiveSituations(obj, fb, k90, w80)...)
	return all
}
