package command

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/option"
)

var updateSituations = flag.Bool("update-situations", false, "write the table of docs/answers.md")

// A situation is a link with a problem that users ask about.
type situation struct {
	what string // description in the user's words
	id   string // id of the case of the corpus with the inputs
	sm   string
	step int
	// prepare changes the inputs and returns the arguments of the link. If it is nil, the arguments are those of the case.
	prepare func(t *testing.T, argv []string) []string
	want    string // text that the answer must contain
}

// situations returns the rows of the table in docs/answers.md.
func situations() []situation {
	words := func(line string) func(*testing.T, []string) []string {
		return func(*testing.T, []string) []string { return strings.Fields(line) }
	}
	// linked returns a preparation that links callee.cubin first.
	linked := func(t *testing.T, _ []string) []string {
		var out bytes.Buffer
		if exit := run(t.Context(), strings.Fields("nvlink -arch=sm_90 caller.cubin callee.cubin -o whole.cubin"), &out, &out); exit != 0 {
			t.Fatal(&out)
		}
		return strings.Fields("-arch=sm_90 caller.cubin whole.cubin -o out.cubin")
	}
	return []situation{
		{"nothing defines the function", "messages/undefined", "90", 1, nil, "try       link the file or library"},
		{"the library that defines it is in a folder of -L and not named", "archive/library", "90", 1, words("-arch=sm_90 -L lib caller.cubin -o out.cubin"), "try       link lib/libcallee.a as well"},
		{"an object is for another target", "archive/library", "90", 1, words("-arch=sm_100 caller.cubin -o out.cubin"), "holds     "},
		{"it is defined in PTX, which was not compiled", "archive/library", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "callee.ptx", []byte(".version 8.0\n.target sm_100\n.address_size 64\n.visible .func (.param .b32 r) _Z6calleei(.param .b32 x) { ret; }\n"))
			write(t, "lib/liba.a", craft.Archive(craft.Member{Name: "callee.ptx/", Data: []byte(read(t, "callee.ptx"))}))
			os.Remove("lib/libcallee.a")
			return strings.Fields("-arch=sm_90 -L lib caller.cubin -o out.cubin")
		}, "PTX for compute_100"},
		{"the archive holds cubins, not objects", "basic/two-files", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "libbare.a", craft.Archive(craft.Member{Name: "callee.cubin/", Data: []byte(read(t, "callee.cubin"))}))
			return strings.Fields("-arch=sm_90 caller.cubin libbare.a -o out.cubin")
		}, "device code in an archive, which is passed over"},
		{"the file that defines it was linked before", "basic/two-files", "90", 1, linked, "an executable that was linked before"},
		{"a function is defined in two files", "messages/multiple-functions", "90", 1, nil, "bytes of code"},
		{"a variable is defined in two files", "messages/multiple-variables", "90", 1, nil, "bytes of global memory"},
		{"a variable has another size elsewhere", "messages/size-mismatch", "90", 1, nil, "bytes of global memory"},
		{"a kernel is declared as a function elsewhere", "messages/kernel-and-function-names", "90", 1, nil, "a kernel"},
		{"a kernel needs too much shared memory", "shared/too-much", "80", 1, nil, "uses      "},
		{"too many constants", "relocatable/constant-too-much", "80", 1, nil, "uses      "},
		{"the stack of a kernel is not known", "stack/recursion", "80", 1, nil, "recursion "},
		{"a file has no code for the target", "fatbin/no-image", "80", 1, nil, "holds     "},
		{"an object is of a later toolkit", "basic/two-files", "90", 1, func(_ *testing.T, argv []string) []string {
			return append([]string{"--toolkit=12.4"}, argv...)
		}, "--toolkit 13.0"},

		{"-l finds the library of another target in an earlier folder", "archive/library", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "first/libcallee.a", []byte(inputOf(t, "archive/library/sm_100/in/lib/libcallee.a")))
			return strings.Fields("-arch=sm_90 caller.cubin -L first -L lib -lcallee -o out.cubin")
		}, "finds first/libcallee.a first"},
		{"the library of -l is for another target", "archive/library", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "first/libcallee.a", []byte(inputOf(t, "archive/library/sm_100/in/lib/libcallee.a")))
			return strings.Fields("-arch=sm_90 caller.cubin -L first -lcallee -o out.cubin")
		}, "compile first/libcallee.a:callee.o for the target"},
		{"a shared object of the same name hides the library", "archive/library", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "lib/libcallee.so", nil)
			return strings.Fields("-arch=sm_90 caller.cubin -L lib -lcallee -o out.cubin")
		}, "name lib/libcallee.a itself"},
		{"no folder of -L has the library", "archive/library", "90", 1, words("-arch=sm_90 caller.cubin -L . -lcallee -o out.cubin"), "give its folder with -L"},
		{"the library of -l is for hosts of another machine", "archive/library", "90", 1, words("-arch=sm_90 -cpu-arch=AARCH64 caller.cubin -L lib -lcallee -o out.cubin"), "-cpu-arch=X86_64"},
		{"the library of -l holds cubins", "basic/two-files", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "lib/libcallee.a", craft.Archive(craft.Member{Name: "callee.cubin/", Data: []byte(read(t, "callee.cubin"))}))
			return strings.Fields("-arch=sm_90 caller.cubin -L lib -lcallee -o out.cubin")
		}, "make it of objects"},
		{"the archive was made on macOS or BSD", "basic/two-files", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "libbsd.a", craft.Archive(craft.Member{Name: "#1/", Data: []byte("callee.cubin\x00" + read(t, "callee.cubin"))}))
			return strings.Fields("-arch=sm_90 caller.cubin libbsd.a -o out.cubin")
		}, "llvm-ar --format=gnu"},
		{"the archive was cut off", "archive/library", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "libcut.a", []byte(read(t, "lib/libcallee.a")[:60]))
			return strings.Fields("-arch=sm_90 caller.cubin libcut.a -o out.cubin")
		}, "make it again"},
		{"a function of nearly that name is defined", "basic/two-files", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "callee.cubin", []byte(strings.ReplaceAll(read(t, "callee.cubin"), "_Z6calleei", "_Z6calleej")))
			return strings.Fields("-arch=sm_90 caller.cubin callee.cubin -o out.cubin")
		}, "declare and define the same name"},
		{"a kernel launches kernels", "basic/two-files", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "launch.cubin", []byte(strings.ReplaceAll(read(t, "caller.cubin"), "_Z6calleei", "__cudaCDP2")))
			return strings.Fields("-arch=sm_90 launch.cubin -o out.cubin")
		}, "-lcudadevrt"},
		{"a variable is in another memory elsewhere", "messages/space-mismatch", "90", 1, nil, "constant memory"},
		{"a variable is managed elsewhere", "messages/managed-mismatch", "90", 1, nil, "managed"},
		{"a shared variable has another size elsewhere", "messages/size-mismatch-shared", "80", 1, nil, "bytes of shared memory"},
		{"a texture has the name of a variable", "messages/texture-and-variable", "90", 1, nil, "a texture"},
		{"a kernel is defined in two files", "messages/multiple-kernels", "90", 1, nil, "a kernel"},
		{"a kernel may not use the registers of what it calls", "messages/register-limit", "90", 1, nil, "limit     "},
		{"the constants of the compiler are too many", "constant/compiler-constants-too-much", "80", 1, nil, "--disable-optimizer-constants"},
		{"the constants of the compiler are too many, by 13.5", "constant/compiler-constants-of-copies", "80", 1, func(_ *testing.T, argv []string) []string {
			return append([]string{"--toolkit=13.5"}, argv...)
		}, "--toolkit 13.4"},
		{"a file is not there", "messages/missing-file", "90", 1, nil, "no such file"},
		{"a folder has the name of a file", "messages/directory", "90", 1, nil, "is a directory"},
		{"a file is empty", "basic/two-files", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "callee.o", nil)
			return strings.Fields("-arch=sm_90 caller.cubin callee.o -o out.cubin")
		}, "the file is empty"},
		{"a file is a text", "basic/two-files", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "callee.o", []byte("/* GNU ld script: the library is what it names, not this file. */ INPUT(libcallee.a)\n"))
			return strings.Fields("-arch=sm_90 caller.cubin callee.o -o out.cubin")
		}, "name the file that the compiler made"},
		{"a cubin has another suffix", "messages/name-without-cubin", "90", 1, nil, "suffix"},
		{"a file has no suffix", "basic/two-files", "90", 1, func(t *testing.T, _ []string) []string {
			write(t, "callee", []byte(read(t, "callee.cubin")))
			return strings.Fields("-arch=sm_90 caller.cubin callee -o out.cubin")
		}, "a name with the suffix"},
		{"the optimiser of -lto is not where -nvvmpath says", "basic/two-files", "90", 1, words("-arch=sm_90 -lto -nvvmpath=/nowhere caller.cubin -o out.cubin"), "/nowhere/"},
		{"the compiler is later than the linker, on sm_100", "mercury/newer-than-toolkit", "100", 2, nil, "--toolkit 13.1"},
		{"the release does not know the target yet", "basic/two-files", "90", 1, words("--toolkit=12.4 -arch=sm_120 caller.cubin callee.cubin -o out.cubin"), "--toolkit 12.8"},
		{"the release does not know the target any more", "basic/two-files", "90", 1, words("-arch=sm_70 caller.cubin callee.cubin -o out.cubin"), "--toolkit 12.9"},
		{"the target has another name", "basic/two-files", "90", 1, words("-arch=sm_101a caller.cubin callee.cubin -o out.cubin"), "-arch=sm_110a"},
		{"the target is misspelled", "basic/two-files", "90", 1, words("-arch=sm90 caller.cubin callee.cubin -o out.cubin"), "near      sm_90"},
		{"an option is misspelled", "basic/two-files", "90", 1, words("-arch=sm_90 --register-link-binary=r caller.cubin callee.cubin -o out.cubin"), "--register-link-binaries"},
	}
}

// inputOf returns a file of the corpus.
func inputOf(t *testing.T, name string) string {
	data, err := corpus.Files.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// anchor returns the anchor of a heading on the page.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, title)
}

// inShort returns the first message in said, the output of a link. answer joins those of the indented lines below the
// message that contain want or start with "try".
func inShort(said, want string) (message, answer string) {
	var parts []string
	for line := range strings.Lines(said) {
		topic, text, _ := strings.Cut(strings.TrimSpace(line), " ")
		text = strings.TrimSpace(text)
		switch isAnswer := strings.HasPrefix(line, "  "); {
		case !isAnswer && len(parts) > 0:
			return message, strings.Join(parts, "; ")
		case !isAnswer:
			_, message, _ = strings.Cut(strings.TrimSpace(line), ": ")
		case topic == "try", strings.Contains(line, want):
			parts = append(parts, text)
		}
	}
	return message, strings.Join(parts, "; ")
}

// followed maps a situation to a link that does what the answer suggests, with the same files. Other answers need a
// compiler or another release of the linker, or only state a cause.
var followed = map[string]string{
	"the library that defines it is in a folder of -L and not named": "-L lib caller.cubin lib/libcallee.a",
	"-l finds the library of another target in an earlier folder":    "caller.cubin -L lib -L first -lcallee",
	"a shared object of the same name hides the library":             "caller.cubin lib/libcallee.a",
	"the library of -l is for hosts of another machine":              "-cpu-arch=X86_64 caller.cubin -L lib -lcallee",
	"the library of -l holds cubins":                                 "caller.cubin callee.cubin",
	"the archive holds cubins, not objects":                          "caller.cubin callee.cubin",
	"the file that defines it was linked before":                     "caller.cubin callee.cubin",
	"an object is of a later toolkit":                                "caller.cubin callee.cubin",
	"a library holds its own device link":                            "--register-link-binaries=r.c caller.cubin libparts.a",
	"a device link stands beside its parts":                          "--register-link-binaries=r.c caller.cubin callee.o",
	"libraries for several targets define it":                        "caller.cubin lib/libcallee.a",
	"an extern shared array has its size in a later file":            "-arch=sm_80 b.cubin a.cubin",
	"a library has nothing that is used":                             "caller.cubin callee.cubin",
	"a file is named twice":                                          "caller.cubin callee.cubin",
	"there is no -arch":                                              "caller.cubin callee.cubin",
	"an option of nvcc reaches the linker":                           "caller.cubin callee.cubin",
	"an object needs a later -cuda-api-version":                      "-arch=sm_80 -cuda-api-version=13.0 k.cubin l.cubin",
	"a file stands behind the device runtime":                        "k.cubin caller.cubin libcudadevrt.a",
	"reserved shared memory is switched off":                         "-arch=sm_80 a.cubin",
}

// follow does what the answer of a situation suggests. The link must then have neither a message nor an answer. nvlink
// is the path of the real nvlink, which must succeed too, or "".
func follow(t *testing.T, what, nvlink string) {
	line, ok := followed[what]
	if !ok {
		return
	}
	argv := append([]string{"-o", "followed.cubin"}, strings.Fields(line)...)
	if !strings.HasPrefix(line, "-arch") {
		argv = append(argv, "-arch=sm_90")
	}
	var said bytes.Buffer
	if exit := run(t.Context(), append([]string{"nvlink"}, argv...), &said, &said); exit != 0 || said.Len() > 0 {
		t.Errorf("%s: who follows the answer gets exit %d, %s", what, exit, &said)
	}
	if nvlink != "" {
		if said, err := exec.Command(nvlink, argv...).CombinedOutput(); err != nil || len(said) > 0 {
			t.Errorf("%s: nvlink, by who follows the answer: %v, %s", what, err, said)
		}
	}
}

// In every situation, the answer below the message is the one in the table of docs/answers.md (DIAG-502, DIAG-505,
// DIAG-506, DIAG-507, DIAG-509, DIAG-510, DIAG-511, DIAG-512).
func TestSituations(t *testing.T) { testSituations(t, "") }

// nvlink links without messages as soon as someone has followed the answer.
func TestLiveSituations(t *testing.T) { testSituations(t, toolstest.NVLink(t)) }

func testSituations(t *testing.T, nvlink string) {
	if runtime.GOOS == "windows" {
		t.Skip("the page has paths and errors as Linux writes them")
	}
	page := filepath.Join(mustAbs(t, "../../.."), "docs", "answers.md")
	t.Setenv(option.AdviceVariable, "1")
	scenarios := mustAbs(t, "../../../testscripts")
	var table, made strings.Builder
	table.WriteString("\n| situation | message | answer |\n|---|---|---|\n")
	for _, s := range slices.Concat(situations(), objectSituations(scenarios), commandSituations(scenarios)) {
		argv := stepOf(t, s.id, s.sm, s.step)
		if s.prepare != nil {
			argv = s.prepare(t, argv)
		}
		var stdout, stderr bytes.Buffer
		run(t.Context(), append([]string{"nvlink"}, argv...), &stdout, &stderr)
		if !strings.Contains(stderr.String(), s.want) {
			t.Errorf("%s: no %q in\n%s", s.what, s.want, &stderr)
		}
		follow(t, s.what, nvlink)
		title := strings.ToUpper(s.what[:1]) + s.what[1:]
		message, answer := inShort(stderr.String(), s.want)
		fmt.Fprintf(&table, "| [%s](#%s) | `%s` | %s |\n", title, anchor(s.what), message, answer)
		fmt.Fprintf(&made, "\n### %s\n\n```\n%s```\n", title, &stderr)
	}
	all := table.String() + made.String()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const head = "\n## Situations\n"
	before, shown, ok := strings.Cut(string(text), head)
	if *updateSituations {
		if err := os.WriteFile(page, []byte(before+head+all), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !ok || shown != all {
		t.Errorf("docs/answers.md is not what links print; -update-situations writes it:\n%s", all)
	}
}
