package command

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/linker/option"
)

var updateSituations = flag.Bool("update-situations", false, "write the table of docs/answers.md")

// A situation is a link that a person asks about.
type situation struct {
	what string // in the person's words
	id   string // the case of the corpus that the inputs are of
	sm   string
	step int
	// prepare changes the inputs and returns the words of the link; nil: those of the case.
	prepare func(t *testing.T, argv []string) []string
	want    string // in the answer
}

// archiveOf is an archive of one member.
func archiveOf(name string, data []byte) []byte {
	if len(data)%2 == 1 {
		data = append(data, '\n')
	}
	return append(fmt.Appendf(nil, "!<arch>\n%-16s%-12d%-6d%-6d%-8s%-10d`\n", name+"/", 0, 0, 0, "644", len(data)), data...)
}

// situations are the rows of the table.
func situations() []situation {
	words := func(line string) func(*testing.T, []string) []string {
		return func(*testing.T, []string) []string { return strings.Fields(line) }
	}
	// linked has callee.cubin linked beforehand.
	linked := func(t *testing.T, _ []string) []string {
		var out bytes.Buffer
		if exit := run(t.Context(), strings.Fields("nvlink -arch=sm_90 caller.cubin callee.cubin -o whole.cubin"), &out, &out); exit != 0 {
			t.Fatal(&out)
		}
		return strings.Fields("-arch=sm_90 caller.cubin whole.cubin -o out.cubin")
	}
	return []situation{
		{"nothing defines the function", "messages/undefined", "90", 1, nil, "try       link the file or library"},
		{"the library that defines it is in a folder of -L and not named", "archive/library", "90", 1, words("-arch=sm_90 -L lib caller.cubin -o out.cubin"), "try       link libcallee.a as well"},
		{"an object is for another target", "archive/library", "90", 1, words("-arch=sm_100 caller.cubin -o out.cubin"), "holds     "},
		{"it is defined in PTX, which was not compiled", "archive/library", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "callee.ptx", []byte(".version 8.0\n.target sm_100\n.address_size 64\n.visible .func (.param .b32 r) _Z6calleei(.param .b32 x) { ret; }\n"))
			write(t, "lib/liba.a", archiveOf("callee.ptx", []byte(read(t, "callee.ptx"))))
			os.Remove("lib/libcallee.a")
			return strings.Fields("-arch=sm_90 -L lib caller.cubin -o out.cubin")
		}, "PTX for compute_100"},
		{"the archive holds cubins, not objects", "basic/two-files", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "libbare.a", archiveOf("callee.cubin", []byte(read(t, "callee.cubin"))))
			return strings.Fields("-arch=sm_90 caller.cubin libbare.a -o out.cubin")
		}, "a cubin in an archive, which is passed over"},
		{"the file that defines it was linked before", "basic/two-files", "90", 1, linked, "an executable that was linked before"},
		{"a function is defined in two files", "messages/multiple-functions", "90", 1, nil, "bytes of code"},
		{"a variable is defined in two files", "messages/multiple-variables", "90", 1, nil, "bytes of global memory"},
		{"a variable has another size elsewhere", "messages/size-mismatch", "90", 1, nil, "bytes of global memory"},
		{"a kernel is declared as a function elsewhere", "messages/kernel-and-function", "90", 1, nil, "a kernel"},
		{"a kernel needs too much shared memory", "shared/too-much", "80", 1, nil, "uses      "},
		{"too many constants", "relocatable/constant-too-much", "80", 1, nil, "uses      "},
		{"the stack of a kernel is not known", "stack/recursion", "80", 1, nil, "recursion "},
		{"a file has no code for the target", "fatbin/no-image", "80", 1, nil, "holds     "},
		{"an object is of a later toolkit", "basic/two-files", "90", 1, func(_ *testing.T, argv []string) []string {
			return append([]string{"--toolkit=12.4"}, argv...)
		}, "--toolkit 13.0"},
	}
}

// Every situation has the answer of the table in docs/answers.md, which stands below the message
// (DIAG-502, DIAG-505).
func TestSituations(t *testing.T) {
	page := filepath.Join(mustAbs(t, "../../.."), "docs", "answers.md")
	t.Setenv(option.AdviceVariable, "1")
	var made strings.Builder
	for _, s := range situations() {
		argv := stepOf(t, s.id, s.sm, s.step)
		if s.prepare != nil {
			argv = s.prepare(t, argv)
		}
		var stdout, stderr bytes.Buffer
		run(t.Context(), append([]string{"nvlink"}, argv...), &stdout, &stderr)
		if !strings.Contains(stderr.String(), s.want) {
			t.Errorf("%s: no %q in\n%s", s.what, s.want, &stderr)
		}
		fmt.Fprintf(&made, "\n### %s%s\n\n```\n%s```\n", strings.ToUpper(s.what[:1]), s.what[1:], &stderr)
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const head = "\n## Situations\n"
	before, shown, ok := strings.Cut(string(text), head)
	if *updateSituations {
		if err := os.WriteFile(page, []byte(before+head+made.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !ok || shown != made.String() {
		t.Errorf("docs/answers.md is not what links print; -update-situations writes it:\n%s", &made)
	}
}
