package hazard_test

import (
	"io/fs"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
)

func BenchmarkCheck(b *testing.B) {
	data, err := fs.ReadFile(corpus.Files, "mercury/operations/sm_100/1.out/out.cubin")
	if err != nil {
		b.Fatal(err)
	}
	f, err := cubin.Open("out.cubin", data)
	if err != nil {
		b.Fatal(err)
	}
	functions, err := hazard.Functions(f)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for _, fn := range functions {
			hazard.Check(fn)
		}
	}
}
