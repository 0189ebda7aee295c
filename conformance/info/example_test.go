package info_test

import (
	"context"
	"os"

	"github.com/culink/culink/conformance/info"
)

// For a file that does not exist, the exit status is Misuse.
func ExampleCommand() {
	info.Command().Run(context.Background(), []string{"testdata/none.cubin"}, os.Stdout, os.Stdout)
	// Output: cuconform info: open testdata/none.cubin: no such file or directory
}
