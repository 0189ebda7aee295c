package nvinfo_test

import (
	"fmt"
	"log"
	"os"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// This example decodes two attributes of a kernel: a sized record, and a record without a value.
func ExampleDecode() {
	records, err := nvinfo.Decode([]byte{
		4, 0x2f, 8, 0, 7, 0, 0, 0, 40, 0, 0, 0,
		1, 0x04, 0, 0,
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range records {
		fmt.Println(r.Code, r.Format, r.Words())
	}
	fmt.Println("registers of symbol", records[0].Word(0), "are", records[0].Word(1))
	// Output:
	// EIATTR_REGCOUNT EIFMT_SVAL 2
	// EIATTR_CTAIDZ_USED EIFMT_NVAL 0
	// registers of symbol 7 are 40
}

func ExampleAppend() {
	fmt.Printf("% x\n", nvinfo.Append(nil, nvinfo.New(nvinfo.RegCount, 7, 40)))
	// Output: 04 2f 08 00 07 00 00 00 28 00 00 00
}

func ExampleFormatError() {
	_, err := nvinfo.Decode([]byte{4, 0x2f, 8, 0, 7, 0})
	fmt.Println(err)
	// Output: payload runs past the end of the section at 0x0: 8
}

func ExampleDecodeToolInfo() {
	data, err := os.ReadFile("testdata/plain.90.cubin")
	if err != nil {
		log.Fatal(err)
	}
	f, err := cubin.Open("plain.90.cubin", data)
	if err != nil {
		log.Fatal(err)
	}
	notes, err := f.Notes(f.Section(".note.nv.tkinfo").Index)
	if err != nil {
		log.Fatal(err)
	}
	note, err := nvinfo.DecodeToolInfo(notes[0].Desc)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s %q\n", note.Tool, note.Options)
	// Output: ptxas "-arch sm_90 -m 64 -c  "
}
