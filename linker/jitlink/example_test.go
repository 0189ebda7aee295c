package jitlink_test

import (
	"bytes"
	"fmt"
	"log"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/jitlink"
)

// This example links two cubins to an image that the driver can load.
func ExampleLibrary() {
	var library jitlink.Library
	link, r := library.Create([]string{"-arch=sm_90"})
	fmt.Println("create", r)
	defer library.Destroy(link)
	for _, name := range []string{"caller.cubin", "callee.cubin"} {
		data, err := corpus.Files.ReadFile("basic/two-files/sm_90/in/" + name)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(name, library.AddData(link, jitlink.InputCubin, data, name))
	}
	fmt.Println("complete", library.Complete(link))
	image, r := library.LinkedCubin(link)
	f, err := cubin.Open("image", image)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("image", r, "for", f.SM())
	// Output:
	// create NVJITLINK_SUCCESS
	// caller.cubin NVJITLINK_SUCCESS
	// callee.cubin NVJITLINK_SUCCESS
	// complete NVJITLINK_SUCCESS
	// image NVJITLINK_SUCCESS for 90
}

// In this example a call returns the error as a result, and the reason is in the error log.
func ExampleLibrary_ErrorLog() {
	var library jitlink.Library
	link, r := library.Create([]string{"-arch=sm_90", "-no-such-option"})
	defer library.Destroy(link)
	text, _ := library.ErrorLog(link)
	fmt.Println(r)
	fmt.Printf("%s\n", bytes.TrimRight(text, "\x00\n"))
	// Output:
	// NVJITLINK_ERROR_UNRECOGNIZED_OPTION
	// unrecognized option: -no-such-option
}
