package input_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
)

// target is sm_90, the target of a link.
func target() arch.Target {
	t, _ := arch.Parse("sm_90")
	return t
}

func ExampleLoad() {
	var said diag.Log
	opt := input.Options{Target: target(), Folder: "testdata", Files: []string{"k.90.cubin"}}
	loaded, err := input.Load(context.Background(), opt, &said)
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range loaded.Objects {
		fmt.Println(o.Name, input.KindOf(o.Data) == input.CubinData)
	}
	// Output: k.90.cubin true
}

// Code for another architecture ends the load with the message of nvlink.
func ExampleLoad_otherArchitecture() {
	var said diag.Log
	opt := input.Options{Target: target(), Folder: "testdata", Files: []string{"k.100.cubin"}}
	_, err := input.Load(context.Background(), opt, &said)
	fmt.Println(err)
	fmt.Println("exit status", said.ExitStatus())
	// Output:
	// fatal: Input file 'k.100.cubin' arch does not match target 'sm_90'
	// exit status 1
}

// LoadData takes an input from memory, as a program has it that links while it runs.
func ExampleLoadData() {
	data, err := os.ReadFile(filepath.Join("testdata", "k.90.cubin"))
	if err != nil {
		log.Fatal(err)
	}
	var said diag.Log
	opt := input.Options{Target: target()}
	objects, err := input.LoadData(context.Background(), opt, input.KindOf(data), "memory", data, &said)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(objects), objects[0].Name)
	// Output: 1 memory
}
