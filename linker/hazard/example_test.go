package hazard_test

import (
	"fmt"
	"log"
	"os"

	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/sass"
)

// assemble makes a kernel for sm_100 that reads its thread and a parameter. Its third
// instruction waits for what scoreboard 1 counts, if that is asked for.
func assemble(wait bool) hazard.Function {
	address := sass.Instruction{Low: 0x0000000400027825, High: 0x002fca00078e0202} // IMAD.WIDE.U32 R2, R0, 4, R2
	if !wait {
		address.High &^= 0x3f << (116 - 64)
	}
	f := hazard.Function{Name: "k", SM: 100}
	for _, x := range []sass.Instruction{
		{Low: 0x0000000000007919, High: 0x000e6e0000002100}, // S2R R0, SR_TID.X, scoreboard 1
		{Low: 0x0000e000ff027b82, High: 0x000e620000000a00}, // LDC.64 R2, c[0x0][0x380], scoreboard 1
		address,
		{Low: 0x000000000000794d, High: 0x001fea0003800000}, // EXIT
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
