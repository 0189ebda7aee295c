package advice

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/platform"
)

// Answers also use the host functions of Windows objects, whose names have Microsoft's mangling (DIAG-502, WIN-001).
func TestWindowsObjects(t *testing.T) {
	code, err := os.ReadFile(filepath.FromSlash("../../../linker/input/testdata/k.90.cubin"))
	if err != nil {
		t.Fatal(err)
	}
	fat := craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: code})
	whole := craft.COFF{Machine: craft.AMD64, Functions: []string{"?f@n@@YAHH@Z", "c_function"}, Sections: []craft.Section{
		{Name: ".text", Data: []byte{0xc3}}, {Name: ".nv_fatbin", Data: fat}, {Name: ".nvFatBinSegment", Data: make([]byte, 24)},
	}}.Encode()
	files := map[string][]byte{
		"whole.obj": whole, "name": craft.RDCWindows(fat, "_m").Encode(),
		"w.lib": craft.Archive(craft.Member{Name: "//", Data: []byte("a_name_of_more_than_15.obj\x00")}, craft.Member{Name: "/0", Data: whole}),
	}
	for _, tt := range []struct {
		host *platform.Platform
		file string
		d    diag.Diagnostic
		want string
	}{
		{platform.Windows, "whole.obj", diag.New(diag.UndefinedReference, "_ZN1n1fEi", "k.cubin"), "defined in whole.obj, for sm_90, compiled without -rdc=true"},
		{platform.Windows, "whole.obj", diag.New(diag.UndefinedReference, "c_function", "k.cubin"), "defined in whole.obj, for sm_90, compiled without -rdc=true"},
		{platform.Windows, "whole.obj", diag.New(diag.UndefinedReference, "_ZN1n1gEi", "k.cubin"), ""},
		{platform.Windows, "w.lib", diag.New(diag.UndefinedReference, "c_function", "k.cubin"), "defined in w.lib:a_name_of_more_than_15.obj, for sm_90, compiled without -rdc=true"},
		{platform.Linux, "w.lib", diag.New(diag.InputPassedOver, "w.lib"), "holds an object for Windows, and only nvlink for Windows reads one"},
		{platform.Linux, "whole.obj", diag.New(diag.InputPassedOver, "whole.obj"), "holds an object for Windows, and only nvlink for Windows reads one"},
		{platform.Windows, "name", diag.New(diag.InputPassedOver, "name"), "try a name with the suffix of what it is: .obj, .lib, .cubin, .fatbin or .ptx"},
	} {
		a := &Adviser{Target: "sm_90", Files: []string{tt.file}, Host: tt.host, Open: func(name string) ([]byte, error) { return files[name], nil }}
		var lines []string
		for _, f := range a.On(tt.d) {
			lines = append(lines, f.Topic+" "+f.Text)
		}
		if got := strings.Join(lines, "\n"); !strings.Contains(got, tt.want) || tt.want == "" && strings.Contains(got, "defined") {
			t.Errorf("%s on %s: %q, want %q", tt.file, tt.host.Name, got, tt.want)
		}
	}
}

// Microsoft's mangling has the innermost name first.
func TestMicrosoftName(t *testing.T) {
	for demangled, want := range map[string]string{"f(int)": "?f@@", "a::b::f(int *)": "?f@b@a@@", "f<int>(int)": "", "c_function": "", "operator new(int)": ""} {
		if got := microsoftName(demangled); got != want {
			t.Errorf("%s: %q, want %q", demangled, got, want)
		}
	}
}
