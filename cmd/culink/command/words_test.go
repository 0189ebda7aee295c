package command

import (
	"bytes"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/trace"
)

// said runs the command and returns its exit status and output.
func said(t *testing.T, words ...string) (exit int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	exit = run(t.Context(), append([]string{"culink"}, words...), &out, &err)
	return exit, out.String(), err.String()
}

// The answer to an unknown option is the nearest known option. The answer to a system error has the system's text.
// Without --advice, stderr is the same as nvlink's (DIAG-502). Windows has other texts, and Wine has its own.
func TestWordsAreAnswered(t *testing.T) {
	argv := stepOf(t, "basic/two-files", "90", 1)
	notFound, isFolder := "because   no such file or directory", "because   is a directory"
	if runtime.GOOS == "windows" {
		notFound, isFolder = "because   ", "because   "
	}
	for _, c := range []struct {
		words string
		want  string // below the message
	}{
		{"-outputfile x", "near      --output-file"},
		{"--archh=sm_90", "near      --arch, -arch"},
		{"--librarypath x", "near      --library-path"},
		{"--kernels", "near      --kernels-used"},
		{"-O3", "because   it is an option of nvcc"},
		{"-Z3", "try       --help"},
		{"none.cubin", notFound},
		{".", isFolder},
		{"-o .", isFolder},
		{"-o no/where", notFound},
		{"-o new/", "because   the name ends in a slash"},
		{"--output-file=", "because   the name is empty"},
	} {
		words := slices.Concat(argv, strings.Fields(c.words))
		exit, _, plain := said(t, words...)
		advised, _, answered := said(t, append(words, "--advice")...)
		if exit == 0 || exit != advised || strings.Contains(plain, "\n  ") || !strings.HasPrefix(answered, plain) || !strings.Contains(answered, plain+"  "+c.want) {
			t.Errorf("%s: exit %d and %d,\n%swith --advice\n%s", c.words, exit, advised, plain, answered)
		}
	}
}

// --json works even after an invalid word on the command line (OPT-503).
func TestJSONAnywhere(t *testing.T) {
	for _, words := range []string{"--json --nonsense", "--nonsense --json", "-arch=sm_1 a.o --json", "a.o -o --json x --json"} {
		exit, stdout, stderr := said(t, strings.Fields(words)...)
		var m jsonMessage
		if err := json.Unmarshal([]byte(stdout), &m); err != nil || exit == 0 || !strings.Contains(stderr, m.Text) || m.Severity != "fatal" {
			t.Errorf("%s: exit %d, %v, %q, %q", words, exit, err, stdout, stderr)
		}
	}
}

// Without arguments, three lines of help follow the message, if answers are printed (DIAG-502).
func TestNoWords(t *testing.T) {
	for name, want := range map[string]int{"1": 3, "0": 0} {
		var stdout, stderr bytes.Buffer
		c := command{bare: true}
		settings, messages := option.Parse(nil, nil)
		settings.Advice = map[string]string{"1": "yes", "0": ""}[name]
		exit := c.carryOut(t.Context(), "culink", settings, messages, &stdout, &stderr)
		message, help, _ := strings.Cut(stderr.String(), "\n")
		if exit != 1 || message != "culink fatal   : Unknown arch name '(null)'" || strings.Count(help, "\n  ")+strings.Count(help[:min(len(help), 2)], "  ") != want {
			t.Errorf("%q: exit %d, %q", name, exit, stderr.String())
		}
	}
}

// The help lists all phases.
func TestTracePhases(t *testing.T) {
	var names []string
	for _, p := range trace.Phases() {
		names = append(names, string(p))
	}
	i := slices.IndexFunc(option.Table[:], func(o option.Option) bool { return o.Long == "trace" })
	if got := option.Table[i].Choices; !slices.Equal(got, names) {
		t.Errorf("the option has %q, the package %q", got, names)
	}
}

// culink reports an input from which nothing is used, although the link succeeds as with nvlink. It does not report a
// host file without device code or an archive that is named twice, because both are common (DIAG-504).
func TestPassedOver(t *testing.T) {
	argv := stepOf(t, "archive/members", "90", 1)
	object, archive := []byte(read(t, "caller.o")), []byte(read(t, "lib.a"))
	host := []byte("\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 9) + "\x03\x00\x3e\x00\x01" + strings.Repeat("\x00", 43))
	for _, c := range []struct {
		name string
		data []byte
		want string // empty: nothing is said
	}{
		{"empty.o", nil, "nothing: the file is empty"},
		{"text.o", []byte(strings.Repeat("text ", 20)), "no object, archive, cubin, fat binary or PTX"},
		{"cut.a", archive[:900], "an archive that cannot be read: "},
		{"begun.a", archive[:60], "an archive without a whole member"},
		{"texts.a", craft.Archive(craft.Member{Name: "a.txt/", Data: []byte("text")}), "an archive without objects"},
		{"object", object, "a host object, but a file whose name has no suffix is passed over"},
		{"./lib.a", nil, ""},
		{"host.so", host, ""},
	} {
		if c.name != "./lib.a" {
			write(t, c.name, c.data)
		}
		words := append(slices.Clone(argv), c.name)
		exit, _, plain := said(t, words...)
		advised, stdout, answered := said(t, append(words, "--advice", "--json")...)
		want := "culink info    : Nothing was taken from input file '" + c.name + "'\n  holds     " + c.want
		found := strings.Contains(answered, want) && strings.Contains(stdout, `"input-passed-over"`)
		if exit != 0 || advised != 0 || plain != "" || found != (c.want != "") || c.want == "" && answered != "" {
			t.Errorf("%s: exit %d and %d, %q; with --advice %q", c.name, exit, advised, plain, answered)
		}
	}
}
