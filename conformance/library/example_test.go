package library_test

import (
	"context"
	"fmt"
	"log"

	"github.com/culink/culink/conformance/library"
	"github.com/culink/culink/linker/jitlink"
)

// The script is played on package jitlink. The second call gives no architecture. Its answer is the result code 2,
// NVJITLINK_ERROR_MISSING_ARCH.
func ExampleInProcess() {
	player := library.InProcess{Library: &jitlink.Library{}}
	answers, err := player.Play(context.Background(), [][]string{{"version"}, {"create"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range answers {
		fmt.Println(a[library.FacetResult])
	}
	// Output:
	// 0
	// 2
}
