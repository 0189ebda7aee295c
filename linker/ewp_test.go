package linker

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/diag"
)

// TestBesideWholeProgram links other code together with an extensible whole program. The test makes that
// program by changing the type of a cubin (MERGE-090).
func TestBesideWholeProgram(t *testing.T) {
	k, err := os.ReadFile("input/testdata/k.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	w, err := os.ReadFile("input/testdata/w.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	whole := bytes.Clone(k)
	binary.LittleEndian.PutUint16(whole[16:], cubin.TypeEWP)
	const said = "'w': -ewp compiled objects should only link with libcudadevrt"
	for _, tt := range []struct {
		name   string
		inputs []Input
		werror bool
		want   string
	}{
		{"alone", []Input{{Name: "k", Data: whole}}, false, ""},
		{"none", []Input{{Name: "k", Data: k}, {Name: "w", Data: w}}, false, ""},
		{"before", []Input{{Name: "k", Data: whole}, {Name: "w", Data: w}}, false, "warning: " + said},
		{"behind", []Input{{Name: "w", Data: w}, {Name: "k", Data: whole}}, false, "warning: " + said},
		{"-Werror", []Input{{Name: "w", Data: w}, {Name: "k", Data: whole}}, true, "error: " + said + " | fatal: merge_elf failed"},
		{"libcudadevrt", []Input{{Name: "k", Data: whole}, {Name: "w", Data: w, System: true}}, false, ""},
	} {
		r := Link(context.Background(), Options{ToolName: "nvlink", Arch: "sm_90", Note: "-arch sm_90 ", WarningsAreErrors: tt.werror}, tt.inputs)
		var got []string
		for _, d := range r.Log.Diagnostics {
			got = append(got, d.Error())
		}
		if text := strings.Join(got, " | "); text != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, text, tt.want)
		}
		if (r.Output != nil) != (r.Log.Worst() < diag.Error) {
			t.Errorf("%s: %d bytes of output", tt.name, len(r.Output))
		}
	}
}

// Code that replaces a weak kernel of an extensible whole program with slots of textures is refused: its bank would keep
// the slots of the replaced code (LAYOUT-711).
func TestReplacedSlots(t *testing.T) {
	strong, err := fs.ReadFile(corpus.Files, "texture/whole-program/sm_100/in/a.cubin")
	if err != nil {
		t.Fatal(err)
	}
	weak, err := cubintext.Parse("weak", strings.ReplaceAll(cubintext.Format(strong), " global func ", " weak func "))
	if err != nil {
		t.Fatal(err)
	}
	const want = "it replaces a kernel of a whole program with slots of textures"
	r := Link(t.Context(), Options{ToolName: "nvlink", Arch: "sm_100", Note: "-arch sm_100 "}, []Input{{Name: "weak", Data: weak}, {Name: "strong", Data: strong}})
	if text := fmt.Sprint(r.Err()); !strings.Contains(text, want) || r.Output != nil {
		t.Errorf("%s, %d bytes of output; want %q", text, len(r.Output), want)
	}
}
