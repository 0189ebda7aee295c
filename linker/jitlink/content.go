package jitlink

import (
	"bytes"

	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/input"
)

// Up to 12.2 the library does not compare the content of an input with its type. It reads the content as the type requires, and
// fails where that goes wrong (JIT-960).

// elfMagic is the start of an ELF file.
const elfMagic = "\x7fELF"

// asTyped returns the kind of code as which an input is read, or the failure of reading it. If there is nothing to read, the kind is
// UnknownData.
func (k *link) asTyped(known input.DataKind, data []byte, name string) (input.DataKind, *failure) {
	switch known {
	case input.PTXData:
		if len(data) == 0 {
			return known, failed(Internal, k.settings.dialect.emptyPTX, name)
		}
	case input.FatbinData:
		switch kind := input.KindOf(data); kind {
		case input.CubinData, input.PTXData, input.FatbinData:
			return kind, nil
		}
		return known, failed(InvalidInput, "ERROR 5: bad input:%s\n", name)
	case input.ObjectData:
		if !bytes.HasPrefix(data, []byte(elfMagic)) { // NVIDIA's library may crash
			return known, failed(InvalidInput, "ERROR 1: no fatbin:%s\n", name)
		}
		if !known.Is(data) { // too short to contain anything
			return input.UnknownData, nil
		}
	case input.LibraryData:
		return k.asLibrary(data, name)
	}
	return known, nil
}

// asLibrary is asTyped for a library. What follows its magic is read as a member, whatever the magic is. The name of the member
// ends with a slash, which must be there. No content that is not an ELF file is an error.
func (k *link) asLibrary(data []byte, name string) (input.DataKind, *failure) {
	const magicSize = 8
	if archive.Is(data) {
		return input.LibraryData, nil
	}
	if len(data) > magicSize {
		member, _, _ := bytes.Cut(data[magicSize:], []byte{0})
		if bytes.IndexByte(member, '/') < 0 {
			return input.LibraryData, failed(Internal, "ERROR 1: library processing:%s\n", name)
		}
	}
	return input.UnknownData, nil
}
