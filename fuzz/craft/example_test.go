package craft_test

import (
	"fmt"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/archive"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/limit"
)

// The library has the form that the compiler writes: host objects that contain fat binaries.
func Example() {
	code := craft.Fatbin(craft.Entry{Kind: uint16(fatbin.ELF), Arch: 90, Payload: []byte("code")})
	library := craft.Archive(craft.Member{Name: "a.o/", Data: craft.RDC(code, "module a")})
	for m, err := range archive.Members(library, new(limit.Budget)) {
		fmt.Printf("%s %q %v\n", m.Name, m.Data[:4], err)
	}
	// Output: a.o "\x7fELF" <nil>
}
