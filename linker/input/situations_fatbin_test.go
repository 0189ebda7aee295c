package input

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
)

// fatbinSituations returns situations with several entries to choose from, and situations with damaged fat
// binaries.
func fatbinSituations(t *testing.T, m map[string]material) []situation {
	var all []situation
	add := func(name, arch string, data []byte) {
		all = append(all,
			situation{name: name + ", .fatbin on " + arch, arch: arch, files: []inputFile{{"x.fatbin", data}}},
			situation{name: name + ", .o on " + arch, arch: arch, files: []inputFile{{"x.o", craft.RDC(data, "_x")}}})
	}
	elf := func(arch uint32, flags uint64, data material) craft.Entry {
		return craft.Entry{Kind: 2, Arch: arch, Flags: flags, Payload: data}
	}
	const flagA, flagF = 0x100000, 0x200000
	relabel := func(m material, sm uint8) material { return m.with(u8at(offFlags+1, sm)) }

	// Each case has two entries, one of which is better. The kernel in the output, k or w, shows which one was
	// chosen.
	k90, w90, w80, w90a, k100 := m["k90"], m["w90"], m["w80"], m["w90a"], m["k100"]
	add("entries 90, 90", "sm_90", craft.Fatbin(elf(90, 0, k90), elf(90, 0, w90)))
	add("entries 90, 90a", "sm_90", craft.Fatbin(elf(90, 0, k90), elf(90, flagA, w90a)))
	add("entries 90a, 90", "sm_90a", craft.Fatbin(elf(90, flagA, w90a), elf(90, 0, k90)))
	add("entries 80, 90", "sm_90", craft.Fatbin(elf(80, 0, w80), elf(90, 0, k90)))
	add("entries 80, 86", "sm_89", craft.Fatbin(elf(86, 0, relabel(w80, 86)), elf(80, 0, w80)))
	add("entries 80", "sm_87", craft.Fatbin(elf(80, 0, w80)))
	add("entries 80", "sm_88", craft.Fatbin(elf(80, 0, w80)))
	add("entries 86", "sm_87", craft.Fatbin(elf(86, 0, relabel(w80, 86))))
	add("entries 87", "sm_89", craft.Fatbin(elf(87, 0, relabel(w80, 87))))
	add("entries 88", "sm_89", craft.Fatbin(elf(88, 0, relabel(w80, 88))))
	_, compatAt := k100.section(t, ".nv.compat")
	compat := "\x00" + string(k100[compatAt:compatAt+0x24])
	changed := func(at int, v byte) string { b := []byte(compat); b[at] = v; return string(b) }
	for _, sfx := range []struct {
		name string
		flag uint64
	}{{"", 0}, {"a", flagA}, {"f", flagF}} {
		for _, target := range []string{"sm_100", "sm_100a", "sm_100f", "sm_103", "sm_103a", "sm_110"} {
			for _, c := range []struct {
				name    string
				flag    uint64
				options string
			}{{"plain", 0, ""}, {"with flag", 0x1000000, ""}, {"with options", 0, compat}, {"with flag and options", 0x1000000, compat}} {
				e := elf(100, sfx.flag|c.flag, k100)
				e.Options = c.options
				add("entry 100"+sfx.name+" "+c.name, target, craft.Fatbin(e))
			}
		}
	}
	for _, c := range []struct {
		name    string
		options string
	}{
		{"attribute 9", changed(3, 1)}, {"no attribute 2", changed(6, 0)}, {"attribute 2 is 0", changed(7, 0)},
		{"attribute 2 is 2", changed(7, 2)}, {"attribute 2 is 3", changed(7, 3)}, {"attribute 5 is 9", changed(11, 9)},
		{"attribute 7 is 0", changed(15, 0)}, {"attribute 7 is 2", changed(15, 2)}, {"attribute 7 has 2 behind", changed(16, 2)},
		{"attribute 6 is 4", changed(23, 4)}, {"attribute 6 is 5", changed(23, 5)}, {"attribute 11 is 0", changed(29, 0)},
		{"first byte", changed(0, 1)}, {"four bytes", compat[:4]}, {"16 bytes", compat[:16]},
	} {
		e := elf(100, 0x1000000, k100)
		e.Options = c.options
		add("entry 100 with "+c.name, "sm_103", craft.Fatbin(e))
	}
	add("entries 80", "sm_90", craft.Fatbin(elf(80, 0, w80)))
	add("entries 90 labelled 80", "sm_80", craft.Fatbin(elf(80, 0, w90)))
	add("no entries", "sm_90", craft.Fatbin())
	add("executable", "sm_90", craft.Fatbin(elf(90, 0, m["exec90"])))
	ltoir := craft.Entry{Kind: 8, Arch: 90, Payload: []byte(strings.Repeat("not intermediate code ", 10))}
	for _, number := range []uint32{0, 1, 255, 999, 1000, 1 << 31} {
		add(fmt.Sprintf("entries %d, 90", number), "sm_90", craft.Fatbin(elf(number, 0, w90), elf(90, 0, k90)))
		add(fmt.Sprintf("entries 90, LTOIR %d", number), "sm_90", craft.Fatbin(elf(90, 0, k90), craft.Entry{Kind: 8, Arch: number, Payload: w90}))
		add(fmt.Sprintf("entries 90, kind 4 of %d", number), "sm_90", craft.Fatbin(elf(90, 0, k90), craft.Entry{Kind: 4, Arch: number, Payload: w90}))
	}
	add("entries 80f", "sm_80", craft.Fatbin(elf(80, flagF, w80)))
	add("entries 80a", "sm_80", craft.Fatbin(elf(80, flagA, w80)))
	add("entries 90f", "sm_90", craft.Fatbin(elf(90, flagF, w90)))
	add("entries 90 with both suffixes", "sm_90", craft.Fatbin(elf(90, flagA|flagF, w90)))
	for _, target := range []string{"compute_90", "compute_90a", "compute_100", "compute_100f", "compute_103", "compute_120"} {
		add("LTOIR", target, craft.Fatbin(ltoir))
		add("entry 90", target, craft.Fatbin(elf(90, 0, k90)))
		add("entry 100", target, craft.Fatbin(elf(100, 0, k100)))
	}
	add("LTOIR", "sm_90", craft.Fatbin(ltoir))
	add("LTOIR", "sm_80", craft.Fatbin(ltoir))
	add("LTOIR", "sm_100", craft.Fatbin(ltoir))
	add("LTOIR and ELF", "sm_90", craft.Fatbin(ltoir, elf(90, 0, w90)))
	ltoir80 := ltoir
	ltoir80.Arch = 80
	add("LTOIR 80 and ELF 90", "sm_90", craft.Fatbin(ltoir80, elf(90, 0, w90)))
	add("LTOIR 90 and ELF 80", "sm_80", craft.Fatbin(ltoir, elf(80, 0, w80)))
	add("LTOIR 89 and ELF 80", "sm_89", craft.Fatbin(craft.Entry{Kind: 8, Arch: 89, Payload: ltoir.Payload}, elf(80, 0, w80)))

	for _, compress := range []string{"", "lz4", "zstd"} {
		e := elf(90, 0, w90)
		e.Compress = compress
		good := material(craft.Fatbin(e))
		first := 16 // offset of the entry
		stored := first + 64
		for _, d := range []struct {
			name    string
			patches []patch
		}{
			{"as it is", nil},
			{"no magic", []patch{u8at(0, 0)}},
			{"version 0", []patch{u16at(4, 0)}},
			{"version 2", []patch{u16at(4, 2)}},
			{"header of no size", []patch{u16at(6, 0)}},
			{"header of 24 bytes", []patch{u16at(6, 24)}},
			{"header past the end", []patch{u16at(6, 0xffff)}},
			{"total 0", []patch{u64at(8, 0)}},
			{"total 63", []patch{u64at(8, 63)}},
			{"total 64", []patch{u64at(8, 64)}},
			{"kind 0", []patch{u16at(first+craft.EntryKind, 0)}},
			{"kind 4", []patch{u16at(first+craft.EntryKind, 4)}},
			{"kind 16", []patch{u16at(first+craft.EntryKind, 16)}},
			{"kind 77", []patch{u16at(first+craft.EntryKind, 77)}},
			{"entry version 0", []patch{u16at(first+craft.EntryVersion, 0)}},
			{"entry header of no size", []patch{u32at(first+craft.EntryHeaderSize, 0)}},
			{"entry header of 72 bytes", []patch{u32at(first+craft.EntryHeaderSize, 72)}},
			{"entry header past the end", []patch{u32at(first+craft.EntryHeaderSize, 1<<30)}},
			{"payload of no size", []patch{u64at(first+craft.EntryPayloadSize, 0)}},
			{"payload of 256 bytes", []patch{u64at(first+craft.EntryPayloadSize, 256)}},
			{"payload past the end", []patch{u64at(first+craft.EntryPayloadSize, 1<<20)}},
			{"format version", []patch{u32at(first+craft.EntryFormat, 0x70007)}},
			{"no flag for 64 bits", []patch{u8at(first+craft.EntryFlags, 0x10)}},
			{"no flag for Linux", []patch{u8at(first+craft.EntryFlags, 1)}},
			{"debug flag", []patch{u8at(first+craft.EntryFlags, 0x13)}},
			{"legacy compression", []patch{u8at(first+craft.EntryFlags+1, 0x10)}},
			{"reserved compression", []patch{u8at(first+craft.EntryFlags+1, 0x40)}},
			{"reserved compression and zstd", []patch{u8at(first+craft.EntryFlags+1, 0xc0)}},
			{"all compressions", []patch{u8at(first+craft.EntryFlags+1, 0xf0)}},
			{"scrambled", []patch{u8at(first+craft.EntryFlags+2, 1)}},
			{"decoded size 4 GiB", []patch{u64at(first+craft.EntryDecodedSize, 1<<32)}},
			{"no flag for compression", []patch{u8at(first+craft.EntryFlags+1, 0)}},
			{"LZ4 flag", []patch{u8at(first+craft.EntryFlags+1, 0x20)}},
			{"zstd flag", []patch{u8at(first+craft.EntryFlags+1, 0x80)}},
			{"both flags", []patch{u8at(first+craft.EntryFlags+1, 0xa0)}},
			{"compressed size 0", []patch{u32at(first+craft.EntryCompressedSize, 0)}},
			{"compressed size 1 less", []patch{u32at(first+craft.EntryCompressedSize, uint32(storedSize(good, first)-1))}},
			{"compressed size 8 more", []patch{u32at(first+craft.EntryCompressedSize, uint32(storedSize(good, first)+8))}},
			{"decoded size 0", []patch{u64at(first+craft.EntryDecodedSize, 0)}},
			{"decoded size 1 less", []patch{u64at(first+craft.EntryDecodedSize, uint64(len(w90)-1))}},
			{"decoded size 1 more", []patch{u64at(first+craft.EntryDecodedSize, uint64(len(w90)+1))}},
			{"decoded size 1 MiB", []patch{u64at(first+craft.EntryDecodedSize, 1<<20)}},
			{"decoded size 1 PiB", []patch{u64at(first+craft.EntryDecodedSize, 1<<50)}},
			{"damaged payload", []patch{u32at(stored, 0x58585858)}},
			{"damaged in the middle", []patch{u32at(stored+300, 0x58585858)}},
			{"architecture 80", []patch{u32at(first+craft.EntryArch, 80)}},
		} {
			add(fmt.Sprintf("fat binary %q, %s", compress, d.name), "sm_90", good.with(d.patches...))
			if slices.Contains(readsBeyond, compress+" "+d.name) {
				all[len(all)-1].beyond, all[len(all)-2].beyond = true, true
			}
		}
		add(fmt.Sprintf("fat binary %q, cut", compress), "sm_90", good[:len(good)-100])
		all[len(all)-1].beyond, all[len(all)-2].beyond = compress == "", compress == ""
		add(fmt.Sprintf("fat binary %q, bytes after it", compress), "sm_90", append(append([]byte(nil), good...), make([]byte, 100)...))
		add(fmt.Sprintf("fat binary %q, twice", compress), "sm_90", append(append([]byte(nil), good...), craft.Fatbin(elf(90, 0, k90))...))
	}
	_ = t
	return all
}

// readsBeyond lists the damages for which nvlink reads past the end of the file, or of its copy of the payload.
var readsBeyond = []string{
	" entry header of 72 bytes", " payload of 256 bytes",
	" total 63", " total 64", "lz4 total 63", "zstd total 63",
	"lz4 header of 24 bytes", "zstd header of 24 bytes", "zstd payload of no size",
}

// storedSize returns the exact size of the payload of the entry at offset at.
func storedSize(m material, at int) int { return int(u16(m[at+craft.EntryCompressedSize:], 0)) }
