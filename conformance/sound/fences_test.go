package sound_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubintext"
)

// A fence before an exit under the result of a barrier reads that result too soon by 13.0, although the code is what package
// mercury makes. The checker finds it, unless the link accepts such fences (MERC-441, E-540). Later releases of culink wait.
func TestFencesUnderBarriers(t *testing.T) {
	for _, tt := range []struct {
		target, toolkit string
		unsafe          bool
	}{{"100", "13.0", true}, {"120", "13.0", true}, {"100", "13.3", false}, {"120", "13.5", false}} {
		text, err := os.ReadFile("testdata/fences/barrier-" + tt.target + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		data, err := cubintext.Parse("a.cubin", string(text))
		if err != nil {
			t.Fatal(err)
		}
		kit, err := arch.Find(tt.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		argv := []string{"--toolkit=" + tt.toolkit, "-arch=sm_" + tt.target, "-g", "a.cubin", "-o", "out.cubin"}
		link, _, err := sound.FromCommand(context.Background(), map[string][]byte{"a.cubin": data}, argv)
		if err != nil {
			t.Fatal(err)
		}
		result := linker.Link(context.Background(), linker.Options{Toolkit: kit.Version, Arch: "sm_" + tt.target, Debug: true}, []linker.Input{{Name: "a.cubin", Data: data}})
		findings := sound.Check(*link, result.Output)
		if found := len(findings) == 1 && findings[0].Key == "code.k" && strings.Contains(findings[0].Got, "without a wait for scoreboard"); found != tt.unsafe || len(findings) > 1 {
			t.Errorf("%+v: %v", tt, findings)
		}
		link.UnsafeFences = true
		if findings := sound.Check(*link, result.Output); len(findings) > 0 {
			t.Errorf("%+v, accepted: %v", tt, findings)
		}
	}
}
