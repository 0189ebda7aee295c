package constpool_test

import (
	"fmt"

	"github.com/culink/culink/conformance/constpool"
)

// The second constant has the value of the first, so it gets the same place.
func ExampleMerge() {
	s := constpool.Section{
		Name: ".nv.constant2.k", Size: 12,
		Constants: []constpool.Constant{
			{Name: "a", Offset: 0, Align: 4, Data: []byte{1, 0, 0, 0}},
			{Name: "b", Offset: 4, Align: 4, Data: []byte{1, 0, 0, 0}},
			{Name: "c", Offset: 8, Align: 4, Data: []byte{2, 0, 0, 0}},
		},
	}
	merged := constpool.Merge(s, nil)
	for _, c := range merged.Constants {
		fmt.Println(c.Name, "at", c.Offset)
	}
	fmt.Println(merged.Size, "bytes")
	// Output:
	// a at 0
	// b at 0
	// c at 4
	// 8 bytes
}
