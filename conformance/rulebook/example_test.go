package rulebook_test

import (
	"fmt"
	"log"

	"github.com/culink/culink/conformance/rulebook"
	"github.com/culink/culink/docs"
)

// Every rule of the suite has an id and a statement.
func ExampleParse() {
	book, err := rulebook.Parse(docs.Rules)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(book.Areas[0].Name, len(book.Rules) > 100)
	// Output: DIAG true
}
