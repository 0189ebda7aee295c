// Package sass knows the machine instructions of sm_75 to sm_121 as far as their
// registers go: which ones an instruction reads, and which ones it writes.
//
// A machine instruction has 128 bits. The low twelve are the opcode, four more the guard.
// Where the registers of the others stand depends on the opcode and on modifiers: LDG has
// two registers of address with .E, one without, and writes one to four. A [Form] is one
// such case: the bits that make an instruction that form, and its [Operand] list.
//
// The table of forms (forms_table.go) is measured, not copied: the command in measure asks
// the toolkit's disassembler about encodings at random. An instruction of another SM, and a
// form that was never measured, is not known.
package sass

//go:generate go run ./measure -from 100 -o forms_table.go -samples testdata/generated.txt
//go:generate go run ./measure -to 99 -o forms_table.go -samples testdata/generated_75_90.txt
