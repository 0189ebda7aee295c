package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/culink/culink/linker/option"
)

// CULINK_ADVICE selects where answers go: nowhere, below the messages on stderr, or into a file. With 1, stderr has
// answers under any command name, even through a pipe. Otherwise stderr does not change. Status and stdout never change
// (DIAG-505).
func TestAdviceVariable(t *testing.T) {
	argv := stepOf(t, "messages/undefined", "90", 1)
	link := func(value string, more ...string) (int, string, string) {
		t.Setenv(option.AdviceVariable, value)
		var stdout, stderr bytes.Buffer
		exit := run(t.Context(), append(append([]string{"nvlink"}, argv...), more...), &stdout, &stderr)
		return exit, stdout.String(), stderr.String()
	}
	exit, stdout, plain := link("")
	for _, c := range []struct {
		value, option string
		below         bool
		file          string
	}{
		{"0", "", false, ""},
		{"1", "", true, ""},
		{"1", "--advice=no", false, ""},
		{"yes", "", false, ""},
		{"advice.txt", "", false, ""},
		{"./advice.txt", "", false, "advice.txt"},
		{"./advice.txt", "--advice=no", false, ""},
		{"./advice.txt", "--advice=yes", true, ""},
		{"missing/advice.txt", "", false, ""},
		{"./", "", false, ""},
		{"./" + argv[len(argv)-1], "", false, ""}, // an input
	} {
		os.Remove("advice.txt")
		var more []string
		if c.option != "" {
			more = []string{c.option}
		}
		before := filesOf(t)
		e, out, errs := link(c.value, more...)
		if e != exit || out != stdout || (errs == plain) == c.below {
			t.Errorf("%+v: exit %d, stdout %q, stderr\n%s", c, e, out, errs)
		}
		after := filesOf(t)
		text, written := after["advice.txt"]
		delete(after, "advice.txt")
		if written != (c.file != "") || len(after) != len(before) || after[argv[len(argv)-1]] != before[argv[len(argv)-1]] {
			t.Errorf("%+v: files %d, before %d", c, len(after), len(before))
		}
		if written && (!strings.HasPrefix(text, "== ") || !strings.Contains(text, " for sm_90 in ") || !strings.Contains(text, "\nnvlink error   : Undefined reference to ") || !strings.Contains(text, "\n  named by  ")) {
			t.Errorf("%+v:\n%s", c, text)
		}
	}
}

// filesOf returns the files of the working folder.
func filesOf(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Type().IsRegular() {
			files[e.Name()] = read(t, e.Name())
		}
	}
	return files
}

// Each of several concurrent links appends its answers as one block. --show-advice prints equal blocks once (DIAG-505).
func TestAdviceOfParallelLinks(t *testing.T) {
	argv := stepOf(t, "messages/undefined", "90", 1)
	t.Setenv(option.AdviceVariable, filepath.Join(".", ".")+"/advice.txt")
	const links = 32
	var group sync.WaitGroup
	for range links {
		group.Go(func() {
			var out bytes.Buffer
			new(command).run(t.Context(), append([]string{"nvlink"}, argv...), &out, &out)
		})
	}
	group.Wait()
	text := read(t, "advice.txt")
	block := text[:len(text)/links]
	if text != strings.Repeat(block, links) {
		t.Errorf("the file is\n%s", text)
	}
	var shown, errs bytes.Buffer
	exit := run(t.Context(), []string{"culink", "--show-advice", "advice.txt"}, &shown, &errs)
	head, rest, _ := strings.Cut(block, "\n")
	if want := head + " (32 times)\n" + rest; exit != 0 || shown.String() != want || errs.Len() > 0 {
		t.Errorf("exit %d, %s\n%s\nwant\n%s", exit, &errs, &shown, want)
	}
	if exit := run(t.Context(), []string{"culink", "--show-advice", "nowhere.txt"}, &shown, &errs); exit != 1 || !strings.Contains(errs.String(), "Could not open input file 'nowhere.txt'") {
		t.Errorf("exit %d, %s", exit, &errs)
	}
}

// A link without a message that has an answer still creates the file. The file shows that the build called culink.
func TestAdviceWithoutAnswers(t *testing.T) {
	argv := stepOf(t, "basic/two-files", "90", 1)
	t.Setenv(option.AdviceVariable, "./advice.txt")
	var stdout, stderr bytes.Buffer
	if exit := run(t.Context(), append([]string{"nvlink"}, argv...), &stdout, &stderr); exit != 0 || stderr.Len() > 0 || read(t, "advice.txt") != "" {
		t.Errorf("exit %d, %s", exit, &stderr)
	}
}
