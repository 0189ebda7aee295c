package sound_test

import "testing"

const (
	kinds     = "relocatable/kinds/sm_80"
	instances = "relocatable/shared-two-files/sm_80"
	unified   = "relocatable/unified-functions/sm_90"
)

// A later link of each of these relocatable files would make a wrong program.
func TestSpoiledRelocatableOutputsAreNotSound(t *testing.T) {
	testSpoils(t, "relocatable", []spoiled{
		// Code.
		{"a bit of code", kinds, flip(".text._Z3alli", 5), "code._Z3alli"},
		{"an instruction less", kinds, edit(`(section \.text\._Z1kPi.*\n)\tu64 .*\n`, "$1"), "code._Z1kPi"},
		{"registers of a section", kinds, edit(`(section \.text\._Z3alli regs=)0x1e`, "${1}8"), "code._Z3alli.registers"},
		{"operand of a shared variable", kinds, repoint("$___ZZ3alliE1s__47", 8, 6), "code._Z3alli"},
		{"operand of a constant", kinds, repoint("c", 8, 3), "code._Z3alli"},

		// Relocations and places that are left to the next link.
		{"no relocation of a variable", kinds, edit(`\trel 0x100 R_CUDA_ABS32_HI_32 g\n`, ""), "relocation.text._Z3alli"},
		{"no relocation of a call", kinds, edit(`\trel 0xa0 R_CUDA_ABS47_34 _Z3alli\n`, ""), "relocation.text._Z1kPi"},
		{"call of another function", kinds, edit(`rel 0x310 R_CUDA_ABS47_34 _Z6calleei`, "rel 0x310 R_CUDA_ABS47_34 _Z5otheri"), "relocation."},
		{"address of another variable", kinds, edit(`R_CUDA_ABS32_LO_32 z`, "R_CUDA_ABS32_LO_32 g"), "relocation."},
		{"half of an address", kinds, edit(`R_CUDA_ABS32_LO_32 g`, "R_CUDA_ABS32_HI_32 g"), "relocation."},
		{"addend", kinds, edit(`_Z3alli \+0x2d0`, "_Z3alli +0x2e0"), "relocation."},
		{"place of a relocation", kinds, edit(`rel 0x120 R_CUDA_ABS32_LO_32 z`, "rel 0x130 R_CUDA_ABS32_LO_32 z"), "relocation."},
		{"two relocations", kinds, edit(`\trel 0xa0 R_CUDA_ABS47_34 _Z3alli\n`, "$0$0"), "relocation."},
		{"no relocation of an extern array", instances, edit(`\trel 0x70 R_CUDA_ABS24_40 externsharedinstance\n`, ""), ""},
		{"start of an extern array", instances, edit(`(symbol externsharedinstance weak data undef other=internal\+shared)`, "$1 value=4"), "relocation."},

		// Symbols.
		{"name of a function", kinds, rename("_Z5otheri", "_Z5another"), "symbol._Z5otheri"},
		{"function that is local", kinds, edit(`symbol _Z5otheri global`, "symbol _Z5otheri local"), ""},
		{"entry flag", kinds, edit(`(symbol _Z1kPi global func \.text\._Z1kPi) other=entry`, "$1"), ""},
		{"variable that is weak", kinds, edit(`symbol g global data`, "symbol g weak data"), "symbol.g.binding"},
		{"size of a variable", kinds, edit(`symbol z global data \.nv\.global other=global size=0x10`, "symbol z global data .nv.global other=global size=8"), "symbol.z.size"},
		{"memory of a variable", kinds, edit(`symbol z global data \.nv\.global other=global`, "symbol z global data .nv.global other=constant"), "symbol.z.other"},
		{"alignment of a shared variable", kinds, edit(`(symbol \$___ZZ3alliE1s__47 .*)value=4`, "${1}value=2"), "shared."},
		{"shared variable of another kernel", instances, edit(`(symbol \$___ZZ2k1PiE1c__29 local data) \.nv\.shared\._Z2k1Pi`, "$1 .nv.shared._Z2k2Pi"), "shared."},
		{"size of a shared variable", instances, edit(`(symbol _ZZ3getiE1v .*)size=0x20`, "${1}size=0x10"), "symbol._ZZ3getiE1v.size"},
		{"alignment of shared memory", kinds, edit(`section \.nv_debug\.shared size=0x\w+ align=0x\w+`, "section .nv_debug.shared size=0x20 align=1"), "shared."},

		// Data.
		{"constant", kinds, edit(`(section \.nv\.constant3.*\n\thex )05`, "${1}06"), "data.c"},
		{"initial value", kinds, edit(`(section \.nv\.global\.init.*\n\thex .)(.)`, "${1}f"), "data.g"},
		{"kind of a section", kinds, edit(`section \.nv\.constant3`, "section .nv.constant3 type=1"), "section.nv.constant3.type"},
		{"parameter bank", kinds, edit(`(section \.nv\.constant0\._Z1kPi\n\tzero) 0x168`, "$1 0x160"), "data."},

		{"symbol of a unified function", unified, edit(`(section \.nv\.uft\.entry.*\n\thex )..`, "${1}01"), "unified.nv.uft.entry.0"},
		{"key of a unified function", unified, edit(`(section \.nv\.uft\.entry.*\n.*\n\thex )a1`, "${1}a0"), "unified.nv.uft.entry.0"},

		// Attributes, the call graph, and the parts that a linker reads first.
		{"frame", kinds, edit(`attr FRAME_SIZE @_Z3alli 0x30`, "attr FRAME_SIZE @_Z3alli 0"), "attribute."},
		{"registers", kinds, edit(`attr REGCOUNT @_Z3alli 0x1e`, "attr REGCOUNT @_Z3alli 8"), "attribute."},
		{"no largest stack", kinds, edit(`\tattr MAX_STACK_SIZE @_Z3alli 0\n`, ""), "attribute."},
		{"no barriers of a function", kinds, edit(`\tattr NUM_BARRIERS 1\n`, ""), "attribute._Z3alli"},
		{"places of exits", kinds, edit(`EXIT_INSTR_OFFSETS 0xe0`, "EXIT_INSTR_OFFSETS 0xd0"), "attribute."},
		{"call", kinds, edit(`\tedge _Z1kPi _Z3alli\n`, ""), "callgraph"},
		{"address that is taken", kinds, edit(`(calls taken\n)\tproto .*\n`, "$1"), "callgraph"},
		{"call through a pointer", kinds, edit(`(calls indirect\n)\tproto .*\n`, "$1"), "callgraph"},
		{"function whose address another takes", kinds, edit(`(calls references\n)\tedge .*\n`, "$1"), "callgraph"},
		{"type of the file", kinds, edit(`header sm=80`, "header sm=80 type=exec"), "header.type"},
		{"architecture", kinds, edit(`header sm=80`, "header sm=86"), "header."},
		{"debug information", kinds, flip(".debug_frame", 4), "data."},
	})
}
