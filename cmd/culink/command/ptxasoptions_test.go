package command

import (
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// The options of a command line that the compiler of PTX inputs gets, by release (OPT-058, KIT-203, KIT-217).
func TestPTXASOptions(t *testing.T) {
	for _, tt := range []struct{ toolkit, line, want string }{
		{"13.0", "-Xptxas -O1 -v", "-O1"},
		{"13.0", "-g -split-compile=2", "-g -split-compile 2"},
		{"13.2", "-v2", "-v2"},
		{"13.4", "-v2 -g -Xptxas -v", "-v -v2 -g"},
		{"13.5", "-v2 -g -Ofc=max", "-v2 -no-bb-merge -ret-end -g -Ofc max"},
	} {
		p, err := arch.Find(tt.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		settings, said := option.ParseFor(p, platform.Linux, strings.Fields(tt.line+" -arch=sm_90 a.ptx -o out"), option.ReadFile)
		if len(said) > 0 {
			t.Errorf("%s: %s: %v", tt.toolkit, tt.line, said)
		} else if got := strings.Join(ptxasOptions(settings), " "); got != tt.want {
			t.Errorf("%s: %s: ptxas gets %q, want %q", tt.toolkit, tt.line, got, tt.want)
		}
	}
}
