// Package sass describes which registers the machine instructions of sm_75 to sm_121 read and write.
//
// A machine instruction has 128 bits. The low twelve are the opcode, and four more the guard. The places of
// other registers depend on the opcode and on modifiers. LDG, for example, has two address registers with .E
// and one without, and writes one to four registers. A [Form] is one such case: the bits that identify it, and
// its [Operand] list.
//
// The table of forms (forms_table.go) is measured, not copied. The command in measure tests random encodings
// with the toolkit's disassembler. Instructions of other SMs, and forms that were never measured, are unknown.
package sass

//go:generate go run ./measure -from 100 -o forms_table.go -samples testdata/generated.txt
//go:generate go run ./measure -to 99 -o forms_table.go -samples testdata/generated_75_90.txt
