// Package cubin reads and writes CUDA device ELF files (cubins): ELF64, little
// endian, e_machine 190.
//
// [Open] checks the header, the section table and the section names, and nothing
// else: symbols, relocations, notes and section bytes are decoded when they are
// asked for, and byte slices are borrowed from the file. Every error is a
// [*FormatError] that says the file, the part of it, the offset and the value
// that is wrong. No input makes the package panic.
//
// The other way round, [Image] is a file whose places are decided, and
// [Image.Encode] its bytes: the writer decides nothing.
package cubin
