package cubin_test

import (
	"fmt"
	"log"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
)

// open opens a small kernel that was compiled from a source of this project.
func open() *cubin.File {
	data, err := corpus.Files.ReadFile("basic/one-kernel/sm_80/in/k.cubin")
	if err != nil {
		log.Fatal(err)
	}
	f, err := cubin.Open("a.cubin", data)
	if err != nil {
		log.Fatal(err)
	}
	return f
}

func ExampleOpen() {
	f := open()
	fmt.Println("architecture", f.SM(), "relocatable", f.Type == cubin.TypeRelocatable)
	// Output: architecture 80 relocatable true
}

func ExampleFile_Symbols() {
	symbols, err := open().Symbols()
	if err != nil {
		log.Fatal(err)
	}
	for _, y := range symbols {
		if y.IsEntry() {
			fmt.Println("kernel", y.Name)
		}
	}
	// Output: kernel _Z1kPi
}

func ExampleFile_Data() {
	f := open()
	text := f.Section(".text._Z1kPi")
	code, err := f.Data(text.Index)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(code) == int(text.Size), text.AddrAlign)
	// Output: true 128
}

func ExampleFile_Relocations() {
	f := open()
	for _, s := range f.Sections {
		if s.Type != cubin.SectionRel {
			continue
		}
		relocations, err := f.Relocations(s.Index)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(s.Name, len(relocations))
	}
	// Output: .rel.debug_frame 2
}

func ExampleOpen_damaged() {
	_, err := cubin.Open("cut.cubin", open().Bytes()[:100])
	fmt.Println(err)
	// Output: cut.cubin: ELF header: section table lies past the end of the file at 0x28: 1920
}
