package info_test

import (
	"context"
	"os"

	"github.com/culink/culink/conformance/info"
)

// A file that does not exist is misuse.
func ExampleCommand() {
	info.Command().Run(context.Background(), []string{"testdata/none.cubin"}, os.Stdout, os.Stdout)
	// Output: cuconform info: open testdata/none.cubin: no such file or directory
}
