package lto

import (
	"bytes"
	"debug/elf"
	"debug/pe"
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

// dll returns a minimal DLL that exports names.
func dll(names ...string) []byte {
	const address, headers = 0x1000, 0x200
	directory := exportDirectory{Count: uint32(len(names)), Names: address + uint32(binary.Size(exportDirectory{}))}
	texts := directory.Names + 4*directory.Count
	var addresses, text []byte
	for _, name := range names {
		addresses = binary.LittleEndian.AppendUint32(addresses, texts+uint32(len(text)))
		text = append(append(text, name...), 0)
	}
	size := texts + uint32(len(text)) - address
	header := pe.OptionalHeader64{Magic: 0x20b, NumberOfRvaAndSizes: 16}
	header.DataDirectory[pe.IMAGE_DIRECTORY_ENTRY_EXPORT].VirtualAddress = address
	b := bytes.NewBuffer(make([]byte, 0x40))
	copy(b.Bytes(), "MZ")
	b.Bytes()[0x3c] = 0x40 // where the PE header is
	b.WriteString("PE\x00\x00")
	binary.Write(b, binary.LittleEndian, pe.FileHeader{
		Machine: pe.IMAGE_FILE_MACHINE_AMD64, NumberOfSections: 1, SizeOfOptionalHeader: uint16(binary.Size(header)), Characteristics: pe.IMAGE_FILE_DLL,
	})
	binary.Write(b, binary.LittleEndian, header)
	binary.Write(b, binary.LittleEndian, pe.SectionHeader32{
		Name: [8]uint8{'.', 'e', 'd', 'a', 't', 'a'}, VirtualSize: size, VirtualAddress: address, SizeOfRawData: size, PointerToRawData: headers,
	})
	b.Write(make([]byte, headers-b.Len()))
	binary.Write(b, binary.LittleEndian, directory)
	b.Write(addresses)
	b.Write(text)
	return b.Bytes()
}
