package mercury_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury"
)

// This example prints what a final link changes in every function that has a capsule.
func ExampleFinalize() {
	const name = "mercury/fences/sm_100/in/a.cubin"
	data, err := corpus.Files.ReadFile(name)
	if err != nil {
		log.Fatal(err)
	}
	f, err := cubin.Open(name, data)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range f.Sections {
		function, is := strings.CutPrefix(s.Name, ".nv.capmerc.text.")
		if !is {
			continue
		}
		capsule, err := f.Data(s.Index)
		if err != nil {
			log.Fatal(err)
		}
		text, err := f.Data(f.Section(".text." + function).Index)
		if err != nil {
			log.Fatal(err)
		}
		made, err := mercury.Finalize(mercury.Function{Text: text, Capsule: capsule, Entry: true, Input: 100, Target: 100})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %v, %d bytes, were %d\n", function, made.Changes, len(made.Text), len(text))
	}
	// Output:
	// _Z5fencePi$7: fences, 384 bytes, were 512
	// _Z5callsPi: clean, 512 bytes, were 512
	// _Z5blockPi: fences, 640 bytes, were 768
	// _Z7publishPii: fences+reallocated, 2816 bytes, were 3200
	// _Z5fencePi: fences, 384 bytes, were 512
}
