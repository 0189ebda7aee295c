package option

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/google/go-cmp/cmp"
)

// The command lines of this file were given to nvlink 13.0.88, and testdata/commandlines.jsonl contains its
// results. -update runs nvlink again (CULINK_ORACLE).
var update = flag.Bool("update", false, "record command lines anew from CULINK_ORACLE")

const recording = "testdata/commandlines.jsonl"

// A commandLine is a command line and the response files that it needs.
type commandLine struct {
	Args  []string          `json:"args"`
	Files map[string]string `json:"files,omitempty"`
	// Link is set if the outcome depends on the link and not on the options: an input is missing, or an
	// output cannot be opened.
	Link bool `json:"link,omitempty"`
}

// An outcome is nvlink's result for a command line.
type outcome struct {
	commandLine
	Exit   int     `json:"exit"`
	Stdout string  `json:"stdout,omitempty"` // "help", "version" or "other"
	Stderr string  `json:"stderr,omitempty"` // without the name of the tool
	Object string  `json:"object,omitempty"`
	Note   *string `json:"note,omitempty"` // nil if o.cubin was not written
}

// words returns command lines that consist only of these words.
func words(lines ...string) []commandLine {
	var made []commandLine
	for _, l := range lines {
		made = append(made, commandLine{Args: strings.Fields(l)})
	}
	return made
}

// links returns command lines that add words to a valid link.
func links(lines ...string) []commandLine {
	var made []commandLine
	for _, l := range lines {
		made = append(made, link(strings.Fields(l)...))
	}
	return made
}

func link(args ...string) commandLine {
	return commandLine{Args: append([]string{"-arch", "sm_90", "k1.cubin", "-o", "o.cubin"}, args...)}
}

// values returns links with one option and each of these values.
func values(option string, values ...string) []commandLine {
	var made []commandLine
	for _, v := range values {
		made = append(made, link(option+v))
	}
	return made
}

// response returns links that read each of these texts from a response file.
func response(texts ...string) []commandLine {
	var made []commandLine
	for _, text := range texts {
		l := link("-g", "-optf", "f.opt")
		l.Files = map[string]string{"f.opt": text}
		made = append(made, l)
	}
	return made
}

func late(lines []commandLine) []commandLine {
	for i := range lines {
		lines[i].Link = true
	}
	return lines
}

// nested returns a chain of n response files. last is the text of the last one.
func nested(n int, last string) commandLine {
	l := link("-optf", "1.opt")
	l.Files = map[string]string{}
	name := func(i int) string { return string(rune('0'+i/10)) + string(rune('0'+i%10)) + ".opt" }
	l.Args[len(l.Args)-1] = name(1)
	for i := 1; i < n; i++ {
		l.Files[name(i)] = "-optf " + name(i+1)
	}
	l.Files[name(n)] = last
	return l
}

func commandLines() []commandLine {
	var all []commandLine
	add := func(lines ...commandLine) { all = append(all, lines...) }

	// These command lines test the names of options (OPT-001, OPT-003, OPT-004, OPT-005).
	add(words("", "-arch=sm_90", "-o x", "-verbose", "--w", "--o x", "--lto", "--", "-arc sm_90", "--arc sm_90", "-Arch sm_90",
		"-foo", "--foo", "--foo=1", "-foo=1", "---v", "-=x", "--=x", "-output-file x", "-disable-warnings", "--ghls", "-gen-host-linker-script",
		"-O3", "-edbg 3", "--edbg 3", "-no-opt", "-optimize-data-layout", "-vkeep", "-trap-into-debugger", "-_trap_", "-dryrun", "-register-link-binaries r.c")...)
	add(links("-libfoo", "-Lib", "-lfoo=bar -g", "-l=foo", "-L=foo", "-l a -L b -lc -Ld", "-machine=64", "-m64", "-m 64", "-m=64", "-m=0x40", "-m32", "-m64x",
		"-oX", "-archX", "-Xptxasv", "-optfx", "-v=", "-v=true", "-w=", "--verbose=1", "-shared=1", "--debug", "--extra-warnings", "--disable-warnings",
		"--warning-as-error", "--suppress-arch-warning", "--relocatable-link", "--keep-system-libraries")...)
	add(late(links("-", "nofile", "@f", "-- nofile"))...)
	all[len(all)-1].Link = false
	add(late([]commandLine{link("")})...)

	// These command lines test values (OPT-006, OPT-007, OPT-008, OPT-009).
	add(words("-o", "-arch", "--arch", "k1.cubin -o", "-optf", "-maxrregcount", "-Ofc", "-cuda-api-version")...)
	add(values("-maxrregcount=", "0x20", "-5", "+5", "1e3", "", " 5", "5 ", "010", "08", "0b1", "0X1f", "2147483647", "2147483648", "-2147483648",
		"-2147483649", "0xffffffff", "99999999999", "2147483648x", "99999999999999999999x", "9223372036854775807x", "9223372036854775808x", "-9223372036854775808x",
		"-", "0x", "5x", "5,6", "--5", " ", "\n7", "-0", "-0x10", "+")...)
	add(values("-device-stack-protector=", "true", "false", "True", "1", "", "TRUE", "false ")...)
	add(values("-cpu-arch=", "X86", "X86_64", "unknown", "AARCH64", "ARMv7", "PPC64LE", "x86", " X86", "\"X86\"", "")...)
	add(values("-nvvmpath=", "\"x\"", " x y ", "a,b", "=", "a=b", "")...)
	add(words("-arch=", "-arch=sm_9", "-arch=sm_90,sm_80", "-arch=sm_90 -arch=", "-arch=90", "-arch=sm_91 -foo", "-arch=SM_90")...)
	add(links("-o -v", "-split-compile=2 -split-compile-extended=0 -maxrregcount 32", "-syscall-const-offset=8", "-device-stack-protector-frame-size-threshold 9",
		"-enable-extended-smem=maybe", "-disable-smem-reservation=", "-verbose-tkinfo=yes", "-split-compile=x")...)

	// These command lines test lists (OPT-010).
	add(values("-kernels-used=", `a,b`, `a""b,""`, `'a,b'`, `[a,b],c`, `a\,b,\"c,d"`, `"a`, `a\"b`, `a[b`, `a]`, ``, `,`, ` `, `"" `, `" a"`, `"a "`, `" "a`, "\ta\t",
		"\na\n", "\ra", `a  ,b`, `"a" ,b`, `a b  c`, "\"a\tb\"", `"a" "b"`, `"a,b" , c`, `\`, `\\`, `"\"`, `"a\"b"`, `"a\\"`, `"a\\",b`, `"a\,b"`, `\"a,b\"c"`, `a"b"c"`, `é,x`)...)
	add(links("-kernels-used a,b -kernels-used a", "-kernels-used a -kernels-used=", "-variables-used=g,h", "-Xptxas -v,-O1 -Xnvvm a", "-Xlinker a,b")...)

	// These command lines test repeated options (OPT-011, OPT-018).
	add(links("-o a -o b -foo", "-arch sm_80 -arch sm_90", "-arch sm_90", "-o x --output-file o.cubin", "-maxrregcount=32 -maxrregcount=0x20 -maxrregcount=33",
		"-w -w --disable-warnings", "-cpu-arch=X86 -cpu-arch=X86_64", "-cpu-arch=X86 -cpu-arch=X86", "-device-stack-protector=true -device-stack-protector=false",
		"-device-stack-protector=true -device-stack-protector=true", "-nvvmpath a -nvvmpath b -Werror", "-nvvmpath a -nvvmpath b -w", "-split-compile=1 -split-compile=2",
		"-o z -o o.cubin -report-arch", "-dot a.dot -dot b.dot", "-verbose-tkinfo=true -verbose-tkinfo=false", "-tool-name abc -tool-name nvlink")...)

	// These command lines ask for the help and the version (OPT-028).
	add(words("-h", "--help", "-V", "--version", "-h -V", "-V -h", "-h -foo", "-foo -h", "-h -arch=x", "-V -o", "-h -o a -o b", "k1.cubin -h", "-h=1", "-V -use-host-info -ignore-host-info")...)

	// These command lines test response files (OPT-015, OPT-016, OPT-017).
	add(response("", "-nvvmpath \"a b\"", "-nvvmpath a\" b\"c", `-nvvmpath a\ b`, `-nvvmpath a\b`, `-nvvmpath a\\b`, `-nvvmpath "a\"b"`, `-nvvmpath a\"b`, `-nvvmpath "a`,
		"-nvvmpath \"a\nb\"", "-nvvmpath\ta", "-nvvmpath\ra", "-nvvmpath\r\na\r\n", "-nvvmpath\fa", "-nvvmpath\va", `-nvvmpath a\`, "-nvvmpath a\\\nb", `-nvvmpath ""`,
		`"-nvvmpath=a b"`, `-kernels-used "a,b"`, `-kernels-used \"a,b\"`, "-w\x00-foo", "-nvvmpath", "-o", "-foo", `-nvvmpath "a\ b"`, `-nvvmpath "a\\b"`, `-nvvmpath a""b`,
		"-h", "-V", "-optf nofile", "-nvvmpath é", "-Ofc", "-m 32", "-nvvmpath a\n-nvvmpath b\n")...)
	add(late(response("-kernels-used a b.cubin", "-nvvmpath 'a b'", "# comment", `-nvvmpath "" x`, "@f", `""`))...)
	add(nested(3, "-w"), nested(15, "-w"), nested(16, "-w"), nested(15, "-foo"))
	cycle := link("-optf", "f.opt")
	cycle.Files = map[string]string{"f.opt": "-optf f.opt"}
	several := link("-optf", "f.opt,f.opt,g.opt", "-optf=g.opt")
	several.Files = map[string]string{"f.opt": "-w", "g.opt": "-kernels-used k"}
	firstBad := link("-optf", "f.opt,nofile")
	firstBad.Files = map[string]string{"f.opt": "-foo"}
	add(cycle, several, firstBad)
	add(links("-optf nofile", "-optf .", "-optf=", "-optf /dev/null -g", "-optf /dev/null", "--options-file /dev/null -verbose-tkinfo=true")...)

	// These command lines have conflicting options, and show the order of the checks (OPT-020, OPT-021,
	// OPT-022, OPT-023, OPT-024, OPT-025, OPT-026).
	add(words("k1.cubin", "-o x", "-arch sm_90 -o x", "-arch sm_90 k1.cubin", "-arch compute_90", "-arch compute_90 k1.cubin", "-arch lto_90", "-arch lto_90 k1.cubin",
		"-arch compute_90 k1.cubin -preserve-relocs", "-arch lto_90 k1.cubin -o x -lto", "-arch lto_90 k1.cubin -o x -use-host-info -ignore-host-info",
		"-ghls=lcs-aug", "-ghls lcs-aug", "--gen-host-linker-script=lcs-aug -suppress-debug-info", "-ghls=lcs-aug k1.cubin", "-ghls=", "-ghls foo", "-ghls=lcs-aug -lfoo", "-ghls=lcs-aug -lto",
		"-ghls=lcs-aug -use-host-info -ignore-host-info", "-ghls=lcs-aug -arch=sm_90 -o s.ld", "-arch sm_90 -lfoo -o x", "-report-arch k1.cubin -arch sm_90", "-report-arch -o x -arch sm_90")...)
	add(links("-suppress-debug-info", "-suppress-debug-info -g", "-dump-callgraph -dump-callgraph-no-demangle", "-use-host-info -ignore-host-info",
		"-use-host-info -kernels-used k", "-use-host-info -variables-used k", "-use-host-info -kernels-used=", "-use-host-info", "-ignore-host-info",
		"-use-host-info -kernels-used k -report-arch", "-emit-ptx", "-force-partial-lto", "-force-whole-lto", "-force-partial-lto -force-whole-lto", "-Ofc=max", "-Ofc foo", "-Ofc", "-Ofc -v",
		"-lto", "-dlto", "--link-time-opt", "--dlto -Ofc=foo", "-lto -nvvmpath nv -Ofc=foo", "-lto -nvvmpath nv -Ofc=", "-lto -nvvmpath nv -Ofc -", "-dlto -nvvmpath nv -force-partial-lto -force-whole-lto",
		"-dlto -nvvmpath nv -Ofc foo -force-partial-lto -force-whole-lto", "-preserve-relocs", "-preserve-relocs -w", "-preserve-relocs -r", "-preserve-relocs -report-arch", "-preserve-relocs -disable-infos", "-preserve-relocs -disable-infos -Werror", "-use-host-info -kernels-used k -disable-infos", "-o z -o o.cubin -disable-infos", "-preserve-relocs -emit-ptx",
		"-preserve-relocs -fdcmpt", "-preserve-relocs -Werror -fdcmpt", "-fdcmpt", "-fdcmpt -cuda-api-version=x", "-emit-ptx -Ofc -suppress-debug-info", "-emit-ptx -Ofc", "-lto -emit-ptx -dump-callgraph -dump-callgraph-no-demangle",
		"-tool-name abc -foo", "-tool-name abc -suppress-debug-info", "-tool-name abc -o z -foo", "-report-arch -suppress-debug-info", "-report-arch -foo",
		"-suppress-debug-info -dump-callgraph -dump-callgraph-no-demangle -use-host-info -ignore-host-info -lto -fdcmpt")...)
	add(late(words("-arch sm_75 k1.cubin -o x -preserve-relocs", "-arch sm_89 k1.cubin -o x -preserve-relocs", "-arch sm_100a k1.cubin -o x -preserve-relocs",
		"-arch sm_121f k1.cubin -o x -preserve-relocs", "-arch compute_80 k1.cubin -o x -preserve-relocs"))...)
	add(values("-cuda-api-version=", "13.0", "13.9", "12.0", "14.0", "13", "13.0x", "", "x", " 13.0", "13.0 ", "+13.0", "13.0.0", "13..0", "4294967309.0", "13. 0", "13 .0", "-13.0", "0xd.0",
		"13.0\n", "013.0", "13.4294967296")...)

	// These command lines test the tool note (OPT-030, OPT-031, OPT-032, OPT-033).
	everything := "-suppress-stack-size-warning -suppress-arch-warning -l a -l b -L . -L x -preserve-relocs -w -disable-infos -keep-system-libraries -kernels-used k,b " +
		"-variables-used v -cpu-arch X86 -report-arch -extrawarn -nvvmpath foo -split-compile 3 -split-compile-extended 4 -Xptxas a,b -Xnvvm c -maxrregcount 34 -use-host-info -r " +
		"-device-stack-protector=true -optf /dev/null -m 64"
	hidden := "-shared -reserve-null-pointer -syscall-const-offset=8 -enable-extended-smem=true -force-rela -allow-undefined-globals -cuda-api-version=13.0 -host-ccbin foo " +
		"-Xlinker a -uumn -dot d.dot -tool-name nvlink -device-stack-protector-frame-size-threshold=3 -dont-reserve-null-pointer -disable-smem-reservation=false"
	add(links(everything, everything+" -g", everything+" -verbose-tkinfo=true", everything+" -g -suppress-debug-info", everything+" -g -verbose-tkinfo=false", hidden, hidden+" -g",
		"-time t.csv --register-link-binaries r.c", "-g -time ./t.csv --register-link-binaries ./r.c", "-g -time -", "-g -cpu-arch=unknown -split-compile=1", "-Werror -verbose-tkinfo=true -v",
		"-kernels-used= -l= -g", "-dlto -nvvmpath nv", "-lto -nvvmpath nv", "-dlto -lto -nvvmpath nv -Ofc=max -emit-ptx -g -v -force-partial-lto -time t.csv -report-arch -extrawarn",
		"-dlto -nvvmpath nv -Ofc -suppress-debug-info -g -Xptxas -v", "-dlto -nvvmpath nv -force-whole-lto", "-dlto -nvvmpath nv -Ofc min -split-compile=3", "-dlto -nvvmpath nv -Ofc min -Ofc",
		"-dlto -nvvmpath nv -Ofc -v", "-dlto -nvvmpath nv -emit-ptx")...)
	add(words("-arch sm_90 k1.cubin k2.cubin -o ./o.cubin -g", "-arch sm_90 ./k1.cubin d/../k2.cubin -o d/../o.cubin -g", "-o o.cubin -m64 k2.cubin -arch=sm_90 -w k1.cubin -verbose-tkinfo=true",
		"-arch sm_90a k1.cubin -o o.cubin")...)
	odd := link("-g", "a,b.cubin", " s .cubin", `q"q.cubin`)
	odd.Args[2] = "k2.cubin"
	odd.Link = true
	add(odd)

	// These command lines test files that the link reads and writes (OPT-050).
	add(late(links("-time nodir/x", "-time=", "-time nodir/x -fdcmpt", "-nv-host x", "-nv-host=", "-uidx x", "-uidx= -nv-host=", "-nv-host x -uidx y", "-time nodir/x -uidx y", "-lto -nvvmpath nodir",
		"-lto -nvvmpath nodir -preserve-relocs", "-lto -nvvmpath nodir -time nodir/x", "-lto -nvvmpath nodir -uidx x", "-lto -nvvmpath nodir nofile", "-lto -nvvmpath=", "-preserve-relocs -Werror",
		"-preserve-relocs -Werror nofile", "--register-link-binaries nodir/x", "--register-link-binaries=", "-dot nodir/x", "-dot=", "-o nodir/x", "-o=", "-o nodir/x -dot nodir/y",
		"--register-link-binaries nodir/x -dot nodir/y", "-tool-name abc nofile", "-report-arch nofile"))...)
	return all
}

// TestCommandLines compares the parser with the recorded results of nvlink.
func TestCommandLines(t *testing.T) {
	if *update {
		t.Skip("recording")
	}
	data, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	want := commandLines()
	got := 0
	for line := range bytes.Lines(data) {
		var o outcome
		if err := json.Unmarshal(line, &o); err != nil {
			t.Fatal(err)
		}
		if got == len(want) || !cmp.Equal(o.commandLine, want[got], ignoreEmpty) {
			t.Fatalf("%s: line %d is %q, not in step with the table; record with -update", recording, got+1, o.Args)
		}
		got++
		t.Run(strings.Join(o.Args, " "), func(t *testing.T) { compare(t, o) })
	}
	if got != len(want) {
		t.Errorf("%s has %d lines, the table %d", recording, got, len(want))
	}
}

var ignoreEmpty = cmp.Comparer(func(a, b commandLine) bool {
	return cmp.Equal(append([]string{}, a.Args...), append([]string{}, b.Args...)) && a.Link == b.Link && len(a.Files) == len(b.Files)
})

func compare(t *testing.T, o outcome) {
	s, said := Parse(o.Args, func(name string) ([]byte, error) {
		if text, ok := o.Files[name]; ok {
			return []byte(text), nil
		}
		if name == "." || name == "/dev/null" {
			return nil, nil
		}
		return nil, fs.ErrNotExist
	})
	var stderr bytes.Buffer
	if err := diag.Print(&stderr, "", "", said); err != nil {
		t.Fatal(err)
	}
	log := diag.Log{Diagnostics: said}
	exit := log.ExitStatus()
	stdout := ""
	switch {
	case exit != 0:
	case s.Help:
		stdout = "help"
	case s.Version:
		stdout = "version"
	default:
		log := diag.Log{WarningsAreErrors: s.WarningsAreErrors, DropWarnings: s.DisableInfos}
		s.Check(&log)
		if err := diag.Print(&stderr, s.ToolName, s.Suffix(), log.Diagnostics); err != nil {
			t.Fatal(err)
		}
		exit = log.ExitStatus()
	}
	text := strings.ReplaceAll("\n"+stderr.String(), "\n ", "\n")[1:]

	if o.Stdout != "other" && stdout != o.Stdout {
		t.Errorf("stdout is %q, want %q", stdout, o.Stdout)
	}
	if !strings.HasPrefix(o.Stderr, text) {
		t.Errorf("stderr is %q, want %q", text, o.Stderr)
	}
	if exit == diag.ExitFatal || !o.Link {
		if exit != o.Exit {
			t.Errorf("exit status %d, want %d; said %q, want %q", exit, o.Exit, text, o.Stderr)
		}
	}
	rest := strings.TrimPrefix(o.Stderr, text)
	linked := strings.HasPrefix(rest, "info    : 0 bytes gmem") || strings.HasPrefix(rest, "info    : requested LTO")
	if rest != "" && (exit == diag.ExitFatal || !o.Link && !linked) {
		t.Errorf("stderr is %q, want %q", text, o.Stderr)
	}
	if o.Note != nil && s.Output == "o.cubin" || s.Output == "./o.cubin" {
		if note := s.Note(); note != *o.Note {
			t.Errorf("note is %q, want %q", note, *o.Note)
		}
		if object := s.Object(); object != o.Object {
			t.Errorf("object is %q, want %q", object, o.Object)
		}
	}
}

// TestCommandLinesLive runs nvlink for every command line again.
func TestCommandLinesLive(t *testing.T) {
	oracle := toolstest.Oracle(t)
	var now bytes.Buffer
	lines := json.NewEncoder(&now)
	lines.SetEscapeHTML(false)
	for _, c := range commandLines() {
		if err := lines.Encode(ask(t, oracle, c)); err != nil {
			t.Fatal(err)
		}
	}
	if *update {
		if err := os.WriteFile(recording, now.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	then, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(then), now.String()); diff != "" {
		t.Errorf("nvlink does not do what was recorded (-then +now):\n%s", diff)
	}
}

// ask runs nvlink in a temporary folder.
func ask(t *testing.T, oracle string, c commandLine) outcome {
	t.Helper()
	dir := t.TempDir()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"k1.cubin", "k2.cubin"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		must(err)
		must(os.WriteFile(filepath.Join(dir, name), data, 0o666))
	}
	for name, text := range c.Files {
		must(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666))
	}
	must(os.MkdirAll(filepath.Join(dir, "d"), 0o777))
	must(os.MkdirAll(filepath.Join(dir, "nv", "lib64"), 0o777))
	must(os.Symlink(filepath.Join(oracle, "lib", "libnvvm.so.4"), filepath.Join(dir, "nv", "lib64", "libnvvm.so")))

	cmd := exec.Command(filepath.Join(oracle, "bin", "nvlink"), c.Args...)
	cmd.Dir = dir
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	o := outcome{commandLine: c, Exit: cmd.ProcessState.ExitCode()}
	switch s := stdout.String(); {
	case strings.HasPrefix(s, "\nUsage"):
		o.Stdout = "help"
	case strings.Contains(s, arch.Default.Release):
		o.Stdout = "version"
	case s != "":
		o.Stdout = "other"
	}
	for line := range strings.Lines(stderr.String()) {
		o.Stderr += strings.TrimPrefix(line, "nvlink ")
	}
	if data, err := os.ReadFile(filepath.Join(dir, "o.cubin")); err == nil {
		note, object := readNote(t, data)
		o.Note, o.Object = &note, object
	}
	return o
}

// readNote returns the options and the object name in the linker's tool note.
func readNote(t *testing.T, data []byte) (options, object string) {
	t.Helper()
	f, err := cubin.Open("o.cubin", data)
	if err != nil {
		t.Fatal(err)
	}
	s := f.Section(".note.nv.tkinfo")
	if s == nil {
		t.Fatal("o.cubin has no tool note")
	}
	notes, err := f.Notes(s.Index)
	if err != nil || len(notes) == 0 {
		t.Fatalf("o.cubin has %d tool notes: %v", len(notes), err)
	}
	// The note has the version, and then the offsets of object, tool, version, build and options.
	desc := notes[0].Desc
	text := func(field int) string {
		place := 24 + int(desc[4*field]) | int(desc[4*field+1])<<8
		s, _, _ := strings.Cut(string(desc[place:]), "\x00")
		return s
	}
	return text(5), text(1)
}
