package corpus_test

import (
	"fmt"
	"log"

	"github.com/culink/culink/corpus"
)

// A recording is shown as a folder with the inputs and the result of each command line.
func Example() {
	entries, err := corpus.Files.ReadDir("basic/two-files/sm_80")
	if err != nil {
		log.Fatal(err)
	}
	for _, e := range entries {
		fmt.Println(e.Name())
	}
	// Output:
	// 1.argv
	// 1.exit
	// 1.out
	// in
}
