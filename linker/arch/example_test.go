package arch_test

import (
	"fmt"

	"github.com/culink/culink/linker/arch"
)

// A link for sm_89 accepts code for sm_80. A link for sm_90 does not.
func ExampleTarget_Accepts() {
	for _, name := range []string{"sm_89", "sm_90"} {
		target, known := arch.Parse(name)
		fmt.Println(target.Name, known, target.Accepts(80, 0))
	}
	// Output:
	// sm_89 true true
	// sm_90 true false
}

func ExampleParse() {
	target, _ := arch.Parse("sm_90a")
	fmt.Printf("%d%c: %#x bytes of shared memory\n", target.Number, target.Suffix, target.MaxShared(false))
	_, known := arch.Parse("sm_35")
	fmt.Println("sm_35", known)
	// Output:
	// 90a: 0x38c00 bytes of shared memory
	// sm_35 false
}
