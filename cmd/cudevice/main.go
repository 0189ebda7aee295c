// Command cudevice runs linked images on a GPU for cuconform:
//
//	go build -o cudevice ./cmd/cudevice
//	cuconform run -linker "my-linker" -facet device -device ./cudevice
//
// It reads jobs and writes what the kernels left in memory, a line of JSON each (package
// device). It is a program of its own because it loads the CUDA driver: cuconform needs no
// libc, and a crash of the driver ends only this process.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"

	"github.com/culink/culink/conformance/device"
)

func main() {
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
