package option_test

import (
	"fmt"

	"github.com/culink/culink/linker/option"
)

func ExampleParse() {
	settings, said := option.Parse([]string{"-arch=sm_90", "-r", "-lmath", "a.o", "-o", "out.cubin"}, option.ReadFile)
	fmt.Println(settings.Arch, settings.Relocatable, settings.Libraries, settings.Inputs, settings.Output)
	fmt.Println(len(said), "messages")
	// Output:
	// sm_90 true [math] [a.o] out.cubin
	// 0 messages
}

// In this example Parse stops at the first invalid word, with nvlink's message.
func ExampleParse_wrong() {
	_, said := option.Parse([]string{"-arch=sm_35", "a.o"}, option.ReadFile)
	for _, d := range said {
		fmt.Println(d.Severity, d.Text())
	}
	// Output: fatal Value 'sm_35' is not defined for option 'arch'
}

// This example moves the paths of a command line to another folder.
func ExampleMapPaths() {
	fmt.Println(option.MapPaths([]string{"-arch=sm_90", "-o", "out.cubin", "a.o"}, func(path string) string {
		return "elsewhere/" + path
	}))
	// Output: [-arch=sm_90 -o elsewhere/out.cubin elsewhere/a.o]
}
