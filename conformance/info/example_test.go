package info_test

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/culink/culink/conformance/info"
)

// For a file that does not exist, the exit status is Misuse.
func ExampleCommand() {
	status := info.Command().Run(context.Background(), []string{"testdata/none.cubin"}, os.Stdout, io.Discard)
	fmt.Println(status)
	// Output: 2
}
