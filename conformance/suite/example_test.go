package suite_test

import (
	"fmt"
	"log"

	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
)

// A case lists its inputs and its command lines.
func ExampleParseCase() {
	text, err := corpus.Files.ReadFile("basic/two-files/case.txt")
	if err != nil {
		log.Fatal(err)
	}
	c, err := suite.ParseCase("basic/two-files", string(text))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(c.ID(), c.Targets[:2])
	fmt.Println(c.Argv(0, "80"))
	// Output:
	// basic/two-files [75 80]
	// [-arch=sm_80 caller.cubin callee.cubin -o out.cubin]
}
