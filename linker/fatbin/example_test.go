package fatbin_test

import (
	"fmt"
	"log"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/fatbin"
)

// container holds a program as PTX, and as machine code for two architectures.
var container = craft.Fatbin(
	craft.Entry{Kind: uint16(fatbin.PTX), Arch: 80, Payload: []byte(".version 8.0\n\x00\x00\x00"), Compress: "lz4"},
	craft.Entry{Kind: uint16(fatbin.ELF), Arch: 80, Payload: []byte("code for 80"), Compress: "zstd"},
	craft.Entry{Kind: uint16(fatbin.ELF), Arch: 90, Payload: []byte("code for 90")},
)

func ExampleParse() {
	entries, err := fatbin.Parse(container)
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range entries {
		fmt.Println(e.Name(), e.Compression() == fatbin.Plain)
	}
	// Output:
	// sm_80.ptx false
	// sm_80.elf false
	// sm_90.elf true
}

func ExampleParse_damaged() {
	entries, err := fatbin.Parse(container[:fatbin.HeaderSize+8])
	fmt.Println(len(entries), err)
	// Output: 0 fat binary: entry at 0x10: header past the end of the file at 0x10: 24
}
