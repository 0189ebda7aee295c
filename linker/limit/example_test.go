package limit_test

import (
	"errors"
	"fmt"

	"github.com/culink/culink/linker/limit"
)

// A budget is for a whole link. What its parts request adds up.
func ExampleBudget() {
	var b limit.Budget
	if err := b.Limits.Set("decoded=1M"); err != nil {
		fmt.Println(err)
	}
	for range 3 {
		err := b.Take(limit.Decoded, 500_000)
		var e *limit.Error
		if errors.As(err, &e) {
			fmt.Printf("%s: %v\n", e.Name(), e)
		}
	}
	fmt.Println("left:", b.Left(limit.Decoded))
	// Output:
	// decoded: more than 1048576 bytes of decoded code, and 64 more for each byte read
	// left: 48576
}
