package sound_test

import "testing"

const (
	fences      = "mercury/fences/sm_100"
	tables      = "mercury/jump-tables/sm_100"
	scoreboards = "mercury/scoreboards/sm_100"
	slots       = "texture/two-kernels/sm_100"
	lines       = "mercury/line-order/sm_100"
	machineOnly = "mercury/machine-code-only/sm_100"
	unfinished  = "relocatable/twice/sm_100"
	unplaced    = "mercury/slots/sm_100 part.cubin"
	unfound     = "mercury/lines-behind-alias/sm_100 out2.cubin"
	replaced    = "mercury/replaced-lines/sm_100 part.cubin"
	inlined     = "mercury/inlined-lines/sm_100"
	equal       = "mercury/relinked-frames/sm_100 out2.cubin"
)

// Each of these outputs for sm_100 and later would run incorrectly, either on its own target or after a finalizer has
// made code for another target.
func TestSpoiledMercuryOutputsAreNotSound(t *testing.T) {
	testSpoils(t, "mercury", []spoiled{
		// Machine code that the finalizer has changed.
		{"a bit of code", fences, flip(".text._Z5blockPi", 5), "code._Z5blockPi"},
		{"a fence more is dropped", fences, edit(`(section \.text\._Z7publishPii.*\n(?:\tu64 .*\n){20})\tu64 .*\n`, "$1"), "code._Z7publishPii"},
		{"a wait of a function that is not scheduled anew", fences, flip(".text._Z5callsPi", 15), "code._Z5callsPi"},
		{"an operand of a function that is", scoreboards, flip(".text._Z6choosePi", 0x24), "code._Z6choosePi"},
		{"a relocation that does not follow its code", fences, edit(`rel 0x150 R_CUDA_ABS32_LO_32 done`, "rel 0x1e0 R_CUDA_ABS32_LO_32 done"), "relocation."},
		{"no relocation", fences, edit(`\trel 0x60 R_CUDA_ABS55_16_34 _Z5fencePi\$7\n`, ""), "relocation."},
		{"exits that do not follow their code", fences, edit(`EXIT_INSTR_OFFSETS 0x1b0`, "EXIT_INSTR_OFFSETS 0x220"), "attribute."},
		{"a jump table that does not follow its code", tables, edit(`(section \.nv\.constant2\._Z5thirdPi.*\n\thex )80`, "${1}d0"), "data."},
		{"targets of jumps", tables, edit(`(section \.nv\.info\._Z5thirdPi\n(?:.*\n)*?\tattr INDIRECT_BRANCH_TARGETS) 0x\w+`, "$1 0x10"), "attribute."},
		{"size of a function", fences, edit(`symbol _Z5blockPi global func \.text\._Z5blockPi`, "$0 size=0x80"), "symbol._Z5blockPi.size"},
		{"unwinding", fences, flip(".debug_frame", 0x5c), "frame."},
		{"unwinding of another function", fences, edit(`rel 0xac R_CUDA_64 _Z5callsPi`, "rel 0xac R_CUDA_64 _Z5blockPi"), "frame."},
		{"lines of another function", lines, edit(`(rel 0x97 R_CUDA_64 )_Z4lastPi`, "${1}_Z5firstPi"), ""},
		{"lines", lines, flip(".debug_line", 0x62), ""},
		{"lines of code behind an alias", unfound, flip(".nv_debug_line_sass", 0xc2), "data.nv_debug_line_sass"},
		{"other code behind an alias", unfound, edit(`(\trel 0xb7 R_CUDA_64 )f\n`, "${1}k2\n"), "relocation.nv_debug_line_sass"},
		{"lines of replaced code", replaced, flip(".nv_debug_line_sass", 0x48), "data.nv_debug_line_sass"},
		{"name of an inlined function", inlined, flip(".debug_line", 0x7a), "data.debug_line"},
		{"the same, of Mercury code", inlined, flip(".nv.merc.debug_line", 0x87), "data.nv.merc.debug_line"},
		{"unwinding of one of two equal functions", equal, edit(`(rel 0xbc R_CUDA_64 )%8`, "${1}%3"), "frame."},
		{"the same, of their Mercury code", equal, edit(`(rel 0x12c R_MERCURY_ABS_PROG_REL64 )%8`, "${1}%3"), "relocation.nv.merc.debug_frame"},

		// The rest of the plain half.
		{"shared memory without the reserved part", fences, edit(`section \.nv\.shared\._Z5blockPi size=0x480`, "section .nv.shared._Z5blockPi size=0x80"), "shared."},
		{"a slot that the driver does not fill", slots, edit(`\trel 0x394 R_CUDA_TEX_HEADER_INDEX t2\n`, ""), "slot.t2"},
		{"registers of a kernel", fences, edit(`attr REGCOUNT @_Z5blockPi 0xa`, "attr REGCOUNT @_Z5blockPi 8"), ""},
		{"targets of a fast finalizer", fences, edit(`CAN_FASTPATH_FINALIZE 9 0`, "CAN_FASTPATH_FINALIZE 0x59 0"), "compat."},
		{"kind of code", machineOnly, edit(`flags=0x7006404`, "flags=0x7006402"), "header.flags"},

		// The Mercury half.
		{"a bit of Mercury code", fences, flip(".nv.capmerc.text._Z5blockPi", 40), "mercury.code._Z5blockPi"},
		{"Mercury code of no function", fences, flip(".nv.capmerc.text._Z5blockPi", 0), ""},
		{"Mercury code of which a count is wrong", fences, flip(".nv.capmerc.text._Z7publishPii", 9), "mercury.code._Z7publishPii"},
		{"no relocation of Mercury code", fences, edit(`\trel 0x1ac R_MERCURY_ABS32_LO done\n`, ""), "relocation.nv.capmerc"},
		{"no relocation of reserved memory", fences, edit(`\trel 0x9c R_MERCURY_ABS32 \.nv\.reservedSmem\.cap\n`, ""), "relocation.nv.capmerc"},
		{"addend in Mercury code", fences, edit(`R_MERCURY_ABS_PROG_REL32_LO _Z5callsPi \+0x90`, "R_MERCURY_ABS_PROG_REL32_LO _Z5callsPi +0x70"), "relocation.nv.capmerc"},
		{"target of Mercury code", fences, edit(`R_MERCURY_ABS64 _Z5fencePi\$7`, "R_MERCURY_ABS64 _Z5blockPi"), "relocation.nv.capmerc"},
		{"type of a relocation of Mercury code", fences, edit(`R_MERCURY_ABS32_HI done`, "R_MERCURY_ABS32_LO done"), "relocation.nv.capmerc"},
		{"a relocation of Mercury code more", fences, edit(`(\trel 0x1ac R_MERCURY_ABS32_LO done\n)`, "$1$1"), "relocation.nv.capmerc"},
		{"size of Mercury code", fences, edit(`(symbol _Z5callsPi global func \.nv\.capmerc\S+ other=entry size=)0x120`, "${1}0x110"), "mercury.symbol._Z5callsPi.size"},
		{"Mercury code of another function", fences, edit(`symbol _Z5callsPi global func \.nv\.capmerc\.text\._Z5callsPi`, "symbol _Z5callsPi global func .nv.capmerc.text._Z5blockPi"), "mercury.symbol."},
		{"type of a variable", fences, edit(`symbol done global data \.nv\.global other=global`, "symbol done global object .nv.global other=global"), "mercury.symbol.done"},
		{"binding in the Mercury half", fences, edit(`symbol done global data`, "symbol done weak data"), "mercury.symbol.done"},
		{"exits of Mercury code", fences, edit(`EXIT_INSTR_OFFSETS 0x220`, "EXIT_INSTR_OFFSETS 0x1b0"), "mercury.attribute._Z5blockPi"},
		{"no options of the finalizer", fences, edit(`\tattr MERCURY_FINALIZER_OPTIONS .*\n`, ""), "mercury.attribute."},
		{"registers in the Mercury half", fences, edit(`(section \.nv\.merc\.nv\.info\n(?:.*\n)*?\tattr REGCOUNT @_Z5blockPi) 0xa`, "$1 8"), "mercury.attribute."},
		{"unwinding of Mercury code", fences, flip(".nv.merc.debug_frame", 0x5c), ""},
		{"a jump table of Mercury code", tables, flip(".nv.merc.nv.constant.optimizer._Z5thirdPi", 4), ""},
		{"no relocation of such a table", tables, edit(`(section \.nv\.merc\.rela\.nv\.constant\.optimizer\._Z5thirdPi\n)\trel .*\n`, "$1"), "relocation.nv.merc"},
		{"slot of another texture", slots, edit(`rel 4 R_MERCURY_TEX_HEADER_INDEX t2`, "rel 4 R_MERCURY_TEX_HEADER_INDEX t1"), "mercury."},
		{"slots of textures that change places", slots, both(
			edit(`rel 4 R_MERCURY_TEX_HEADER_INDEX t2\n\trel 0 R_MERCURY_TEX_HEADER_INDEX t1`, "rel 0 R_MERCURY_TEX_HEADER_INDEX t2\n\trel 4 R_MERCURY_TEX_HEADER_INDEX t1")), "mercury."},

		// Relocatable files keep both halves as they are in the inputs.
		{"a bit of code for the next link", unfinished, flip(".text._Z4bothPi", 5), "code._Z4bothPi"},
		{"a bit of its Mercury code", unfinished, flip(".nv.capmerc.text._Z4bothPi", 40), "mercury.code._Z4bothPi"},
		{"no relocation for the next link", unfinished, edit(`(section \.nv\.merc\.rela\.text\._Z4bothPi\n)\trel .*\n`, "$1"), "relocation.nv.capmerc"},
		{"no relocation of a texture", unplaced, edit(`\trel 0x10 R_CUDA_CONST_FIELD22_37 image\n`, ""), "relocation.text.sample"},
		{"another texture", unplaced, edit(`R_CUDA_CONST_FIELD22_37 image`, "R_CUDA_CONST_FIELD22_37 canvas"), "relocation.text.sample"},
		{"code beside where slots begin", unplaced, flip(".text.sample", 0x12), "code.sample"},
		{"no relocation of a texture in Mercury code", unplaced, edit(`\trel 0x2c R_MERCURY_ABS32 image\n`, ""), "relocation.nv.capmerc.text.sample"},
		{"a slot in Mercury code that is not placed yet", unplaced, flip(".nv.capmerc.text.sample", 0x28), "mercury.code.sample"},
		{"executable already", unfinished, edit(`header sm=100`, "header sm=100 type=exec"), "header.type"},
	})
}
