package fuzz

import (
	"io"
	"io/fs"
	"strings"
	"testing"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/option"
)

// FuzzOptions parses any words and any response files. line holds the words of the command line, separated by zero
// bytes. file is the text of the response file f.
func FuzzOptions(f *testing.F) {
	f.Add("-arch=sm_90\x00k.cubin\x00-o\x00x\x00-g\x00-optf\x00f", "-w -kernels-used \"a,b\"")
	f.Add("-optf=f,f,f", "-optf f")
	f.Add("-Ofc\x00-ghls\x00-m0x40\x00-l\"a,b\"", `\`)
	f.Add("-cuda-api-version=13.-1\x00-maxrregcount=-0x80000000\x00--=\x00-", `"a\"b" \`)
	f.Fuzz(func(t *testing.T, line, file string) {
		read := func(name string) ([]byte, error) {
			if name != "f" {
				return nil, fs.ErrNotExist
			}
			return []byte(file), nil
		}
		args := strings.Split(line, "\x00")
		s, said := option.Parse(args, read)
		for i, d := range said {
			if d.Severity == diag.Fatal && i != len(said)-1 {
				t.Fatalf("%q: %q is not the last message", args, d.Text())
			}
			if d.Severity < diag.Warning || d.Phase() != diag.PhaseOptions {
				t.Fatalf("%q: said %q", args, d.Error())
			}
		}
		log := diag.Log{Diagnostics: said}
		if log.Worst() == diag.Fatal {
			return
		}
		s.Check(&log)
		if err := diag.Print(io.Discard, s.ToolName, s.Suffix(), log.Diagnostics); err != nil {
			t.Fatal(err)
		}
		if log.Worst() == diag.Fatal {
			return
		}
		note := s.Note()
		if s.HostLinkerScript == "" && !strings.Contains(note, "-arch "+s.Arch+" ") {
			t.Fatalf("%q: note %q does not name the target", args, note)
		}
		again, _ := option.Parse(args, read)
		if again.Note() != note || again.Object() != s.Object() {
			t.Fatalf("%q: note %q, then %q", args, note, again.Note())
		}
	})
}
