package sass_test

import (
	"fmt"

	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// load is LDC.64 R2, c[0x0][0x380], for sm_100.
var load = sasstest.Asm("[B------:R-:W1:-:S01] LDC.64 R2, c[0x0][0x380]")

func ExampleUses() {
	writes, reads, known := sass.Uses(load, 100)
	fmt.Printf("%v; writes %v, reads %q\n", known, writes, reads)
	_, _, known = sass.Uses(load, 70)
	fmt.Println("on sm_70:", known)
	// Output:
	// true; writes R2 R3, reads ""
	// on sm_70: false
}

func ExampleDecode() {
	x := sass.Decode(load.Append(nil))
	fmt.Printf("opcode %#x, stalls for %d cycles, scoreboard %d\n", x.Opcode(), x.Field(105, 4), x.Field(110, 3))
	// Output: opcode 0xb82, stalls for 1 cycles, scoreboard 1
}

func ExampleRegisters() {
	var s sass.Registers
	s.Add(sass.General, 4, 2)
	s.Add(sass.Predicate, 0, 1)
	fmt.Println(s, s.Has(sass.General, 5), s.Only(sass.Predicate))
	// Output: R4 R5 P0 true P0
}
