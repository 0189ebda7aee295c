package capsule_test

import (
	"fmt"

	"github.com/culink/culink/linker/mercury/capsule"
)

// The error of a damaged capsule contains its place in the file.
func ExampleOpen_damaged() {
	_, err := capsule.Open([]byte{1, 0, 0, 0}, capsule.Place{File: "a.cubin", Part: ".nv.capmerc.text.k", Offset: 0x400})
	fmt.Println(err)
	// Output: a.cubin: .nv.capmerc.text.k: capsule is shorter than its header at 0x400: 4
}
