package lto

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// sharedObject returns a minimal library that exports symbols.
func sharedObject(symbols ...string) []byte {
	const headerSize, sectionSize = 64, 64
	names := []byte("\x00.dynsym\x00.dynstr\x00.shstrtab\x00")
	strtab := []byte{0}
	table := make([]byte, elf.Sym64Size)
	for _, s := range symbols {
		var b bytes.Buffer
		binary.Write(&b, binary.LittleEndian, elf.Sym64{Name: uint32(len(strtab)), Info: elf.ST_INFO(elf.STB_GLOBAL, elf.STT_FUNC), Shndx: 1})
		table = append(table, b.Bytes()...)
		strtab = append(append(strtab, s...), 0)
	}
	body := append(append(append([]byte{}, table...), strtab...), names...)
	at := uint64(headerSize)
	section := func(name int, typ elf.SectionType, size int, link uint32, entry uint64) elf.Section64 {
		s := elf.Section64{Name: uint32(name), Type: uint32(typ), Off: at, Size: uint64(size), Link: link, Entsize: entry, Addralign: 1}
		at += uint64(size)
		return s
	}
	sections := []elf.Section64{{},
		section(1, elf.SHT_DYNSYM, len(table), 2, elf.Sym64Size),
		section(9, elf.SHT_STRTAB, len(strtab), 0, 0),
		section(17, elf.SHT_STRTAB, len(names), 0, 0),
	}
	header := elf.Header64{
		Ident: [16]byte{0x7f, 'E', 'L', 'F', byte(elf.ELFCLASS64), byte(elf.ELFDATA2LSB), byte(elf.EV_CURRENT)},
		Type:  uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: uint32(elf.EV_CURRENT),
		Shoff: at, Ehsize: headerSize, Shentsize: sectionSize, Shnum: uint16(len(sections)), Shstrndx: 3,
	}
	var b bytes.Buffer
	binary.Write(&b, binary.LittleEndian, header)
	b.Write(body)
	binary.Write(&b, binary.LittleEndian, sections)
	return b.Bytes()
}
