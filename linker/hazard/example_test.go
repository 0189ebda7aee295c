package hazard_test

import (
	"fmt"
	"log"
	"os"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/sass"
	"github.com/culink/culink/linker/sass/sasstest"
)

// assemble makes a kernel for sm_100 that reads its thread index and a parameter. If wait is set,
// its third instruction waits for scoreboard 1.
func assemble(wait bool) hazard.Function {
	address := sasstest.Asm("[B-1----:R-:W-:Y:S05] IMAD.WIDE R2, R0, 0x4, R2")
	if !wait {
		address.High &^= 0x3f << (116 - 64)
	}
	f := hazard.Function{Name: "k", SM: 100}
	for _, x := range []sass.Instruction{
		sasstest.Asm("[B------:R-:W1:-:S07] S2R R0, SR_TID.X"),
		sasstest.Asm("[B------:R-:W1:-:S01] LDC.64 R2, c[0x0][0x380]"),
		address,
		sasstest.Asm("[B0-----:R-:W-:-:S05] EXIT"),
	} {
		f.Text = x.Append(f.Text)
	}
	return f
}

func ExampleCheck() {
	fmt.Println(hazard.Check(assemble(true)).Verdict)
	report := hazard.Check(assemble(false))
	fmt.Println(report.Verdict)
	for _, finding := range report.Findings {
		fmt.Println(finding)
	}
	// Output:
	// safe
	// unsafe
	// unsafe: at 0x20: reads R results of the instruction at 0x0 without a wait for scoreboard 1
	// unsafe: at 0x20: reads R results of the instruction at 0x10 without a wait for scoreboard 1
	// unsafe: at 0x20: writes R results of the instruction at 0x10 without a wait for scoreboard 1
}

func ExampleWriteSchedule() {
	if err := hazard.WriteSchedule(os.Stdout, assemble(true)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// k: safe
	//   offset opcode stall  waits   results operands
	//   000000 0x919      7          1
	//   000010 0xb82      1          1
	//   000020 0x825      5  1
	//   000030 0x94d      5  0
}
