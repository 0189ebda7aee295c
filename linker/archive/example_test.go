package archive_test

import (
	"fmt"
	"log"

	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/limit"
)

// An archive of two members, as written by ar.
const library = archive.Magic +
	"a.o/            0           0     0     644     4         `\n" +
	"AAAA" +
	"b.o/            0           0     0     644     3         `\n" +
	"BBB\n"

func ExampleMembers() {
	for m, err := range archive.Members([]byte(library), new(limit.Budget)) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s %s\n", m.Name, m.Data)
	}
	// Output:
	// a.o AAAA
	// b.o BBB
}

// The last member is truncated, as in an incomplete download.
func ExampleMember_cut() {
	for m, err := range archive.Members([]byte(library[:len(library)-3]), new(limit.Budget)) {
		fmt.Println(m.Name, m.Size, m.Cut, err)
	}
	// Output:
	// a.o 4 false <nil>
	// b.o 3 true <nil>
}

// In this example the archive contains bytes that are not a header. They end the archive with an
// error that has their offset.
func ExampleFormatError() {
	for m, err := range archive.Members([]byte(library+"no header"), new(limit.Budget)) {
		if err != nil {
			fmt.Println(err)
			break
		}
		fmt.Println(m.Name)
	}
	// Output:
	// a.o
	// b.o
	// archive: name: unexpected archive format at 0x88: "no header"
}
