// Command cudevice runs linked images on a GPU for cuconform:
//
//	go build -o cudevice ./cmd/cudevice
//	cuconform run -linker "my-linker" -facet device -device ./cudevice
//
// It reads jobs and writes the memory that the kernels leave. Each job and each answer is a line of JSON (package
// device). It is a separate program because it loads the CUDA driver. So cuconform needs no C library, and a crash of
// the driver ends only this process.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"

	"github.com/culink/culink/conformance/device"
)

const usage = `usage: cudevice
Runs linked images on a GPU: jobs in, what kernels left in memory out, a line of JSON each. cuconform run -device starts it: docs/device.md.
`

func main() {
	if len(os.Args) > 1 {
		to, exit := os.Stdout, 0
		if os.Args[1] != "--help" && os.Args[1] != "-h" {
			to, exit = os.Stderr, 2
		}
		fmt.Fprint(to, usage)
		os.Exit(exit)
	}
	runtime.LockOSThread() // a context of the driver belongs to a thread
	driver, name, err := open()
	if err != nil {
		_ = json.NewEncoder(os.Stdout).Encode(device.Greeting{Error: err.Error()})
		return
	}
	if err := device.Serve(driver, name, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "cudevice:", err)
		os.Exit(1)
	}
}
