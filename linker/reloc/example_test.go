package reloc_test

import (
	"fmt"

	"github.com/culink/culink/linker/reloc"
)

// This example writes an operand from constant bank 3. ptxas does not know the offset and the bank.
func ExampleType_Apply() {
	instruction := make([]byte, 16)
	t, _ := reloc.Lookup(66)
	err := t.Apply(instruction, 0, reloc.Value{
		Symbol:    0x24,
		Addend:    4,
		HasAddend: true,
		Bank:      reloc.Bank(0x70000067), // .nv.constant3
	})
	fmt.Println(t, err)
	fmt.Printf("% x\n", instruction)
	// Output:
	// R_CUDA_CONST_FIELD21_38 <nil>
	// 00 00 00 00 00 0a c0 00 00 00 00 00 00 00 00 00
}

// In this example, the driver resolves a function's address in data, and the link resolves the
// address of a constant.
func ExampleType_Disposition() {
	for _, n := range []uint32{2, 102} {
		t, _ := reloc.Lookup(n)
		fmt.Printf("%s: function %s as %d, constant %s\n", t,
			t.Disposition(reloc.Function, reloc.Executable), t.Final, t.Disposition(reloc.Placed, reloc.Executable))
	}
	// Output:
	// R_CUDA_64: function keep as 2, constant resolve
	// R_CUDA_UNIFIED: function keep as 2, constant resolve
}

func ExampleLookup() {
	for _, n := range []uint32{55, 200} {
		t, known := reloc.Lookup(n)
		fmt.Println(t, known, t.Use)
	}
	// Output:
	// R_CUDA_ABS32_32 true word
	// relocation 0xc8 false last
}

func ExampleDisposition_Fault() {
	t, _ := reloc.Lookup(4)
	fmt.Println(t.Disposition(reloc.Shared, reloc.Executable).Fault())
	// Output: reference to deleted symbol
}
