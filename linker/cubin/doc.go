// Package cubin reads and writes CUDA device ELF files (cubins): ELF64, little endian, e_machine 190.
//
// [Open] checks only the header, the section table and the section names. Symbols, relocations, notes and
// section bytes are decoded when they are needed. Byte slices share the memory of the file. Every error is a
// [*FormatError] with the file, the part of it, the offset and the invalid value. No input makes the package
// panic.
//
// For writing, [Image] is a file with all offsets decided, and [Image.Encode] returns its bytes. The encoder
// makes no decisions.
package cubin
