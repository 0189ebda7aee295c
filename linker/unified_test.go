package linker_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
)

// A stub of a unified function that a compiler of 13.0 made is refused by 13.5 (KIT-260).
func TestUnifiedStubOfAnEarlierCompiler(t *testing.T) {
	object, err := corpus.Files.ReadFile("relocatable/unified-functions/sm_100/in/a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	for release, refused := range map[string]bool{"13.0": false, "13.4": false, "13.5": true} {
		r := linker.Link(t.Context(), linker.Options{Toolkit: release, Arch: "sm_100", Relocatable: true}, []linker.Input{{Name: "a.cubin", Data: object}})
		said := fmt.Sprint(r.Err())
		if got := strings.Contains(said, "unsupported elf type"); got != refused || refused == (r.Output != nil) {
			t.Errorf("%s: an output of %d bytes, %s", release, len(r.Output), said)
		}
	}
}
