package catalogue_test

import (
	"fmt"

	"github.com/culink/culink/linker/catalogue"
)

func ExampleLookup() {
	for _, name := range []string{".text.k", ".nv.constant3", ".debug_line", ".comment"} {
		kind, part := catalogue.Lookup(name)
		if kind == nil {
			fmt.Println(name, "is not known")
			continue
		}
		fmt.Printf("%s: %s with %q, made by %v: %s\n", name, kind.Pattern, part, kind.Maker, kind.Linker)
	}
	// Output:
	// .text.k: .text.<f> with "k", made by ptxas: code of a live function, relocated
	// .nv.constant3: .nv.constant<n> with "3", made by ptxas: concatenated in the order of the inputs, each part at its alignment
	// .debug_line: .debug_<x> with "line", made by ptxas: concatenated in the order of the inputs, each part at its alignment
	// .comment is not known
}

// This example prints the sections to which a relocation section with the given name may apply.
func ExamplePatched() {
	fmt.Println(catalogue.Patched(".rela.text.k"))
	fmt.Println(catalogue.Patched(".nv.merc.rela.text.k"))
	// Output:
	// [.text.k]
	// [.nv.merc.text.k .nv.capmerc.text.k]
}
