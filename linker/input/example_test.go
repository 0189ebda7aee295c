package input_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/input"
)

func ExampleLoad() {
	var said diag.Log
	opt := input.Options{Arch: "sm_90", Folder: "testdata", Files: []string{"k.90.cubin"}}
	loaded, err := input.Load(context.Background(), opt, &said)
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range loaded.Objects {
		fmt.Println(o.Name, input.KindOf(o.Data) == input.CubinData)
	}
	// Output: k.90.cubin true
}

// In this example, code for another architecture ends the load with nvlink's message.
func ExampleLoad_otherArchitecture() {
	var said diag.Log
	opt := input.Options{Arch: "sm_90", Folder: "testdata", Files: []string{"k.100.cubin"}}
	_, err := input.Load(context.Background(), opt, &said)
	fmt.Println(err)
	fmt.Println("exit status", said.ExitStatus())
	// Output:
	// fatal: Input file 'k.100.cubin' arch does not match target 'sm_90'
	// exit status 1
}

// In this example, LoadData loads an input from memory, as a program that links at run time does.
func ExampleLoadData() {
	data, err := os.ReadFile(filepath.Join("testdata", "k.90.cubin"))
	if err != nil {
		log.Fatal(err)
	}
	var said diag.Log
	opt := input.Options{Arch: "sm_90"}
	objects, err := input.LoadData(context.Background(), opt, input.KindOf(data), "memory", data, &said)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(objects), objects[0].Name)
	// Output: 1 memory
}

// Machine code that runs on the target is preferred to PTX.
func ExampleOptions_Choose() {
	entries, err := fatbin.Parse(craft.Fatbin(
		craft.Entry{Kind: uint16(fatbin.PTX), Arch: 80, Payload: []byte(".version 8.0\n\x00\x00\x00"), Compress: "lz4"},
		craft.Entry{Kind: uint16(fatbin.ELF), Arch: 80, Payload: []byte("code for 80"), Compress: "zstd"},
		craft.Entry{Kind: uint16(fatbin.ELF), Arch: 90, Payload: []byte("code for 90")},
	))
	if err != nil {
		log.Fatal(err)
	}
	for _, name := range []string{"sm_86", "sm_100"} {
		chosen, err := input.Options{Arch: name}.Choose(entries)
		if err != nil {
			log.Fatal(err)
		}
		payload, err := chosen.Decode()
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s %q\n", name, chosen.Name(), fatbin.Text(payload))
	}
	// Output:
	// sm_86: sm_80.elf "code for 80"
	// sm_100: sm_80.ptx ".version 8.0\n"
}
