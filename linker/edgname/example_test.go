package edgname_test

import (
	"fmt"

	"github.com/culink/culink/linker/edgname"
)

func ExampleDemangle() {
	for _, name := range []string{"_Z1kPi", "_Z3addIiET_PKS0_", "k"} {
		fmt.Println(edgname.Demangle(name))
	}
	// Output:
	// k(int *)
	// T1 add<int>(const T1 *)
	// k
}
