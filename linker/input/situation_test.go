package input

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/platform"
)

// A situation is a folder of inputs and a command line. testdata/outcomes.txt records what nvlink 13.0.88 does
// while it loads them. For some situations it records only what culink does. The command
//
//	go test ./linker/input -run TestLiveSituations -record    (with CULINK_ORACLE)
//
// writes that file. It first compares culink's messages, exit status and register file with those of nvlink. If
// the load succeeds, it also checks that nvlink makes the same file from the objects that culink found as from
// the inputs.
type situation struct {
	name  string
	arch  string // "sm_90" when empty
	args  string // options and files; if empty, all files in order
	files []inputFile
	// beyond marks a situation in which nvlink reads past the end of the file. nvlink's result then depends on
	// the memory there, and that of culink only has to be reasonable.
	beyond bool
}

type inputFile struct {
	name string
	data []byte
}

var record = flag.Bool("record", false, "write testdata/outcomes.txt; needs CULINK_ORACLE")

const outcomesFile = "testdata/outcomes.txt"

// An outcome is the result of loading a situation.
type outcome struct {
	exit     int
	messages []string // without the tool's name
	objects  []Object
	register string
}

// String returns the outcome on one line.
func (o *outcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "exit %d", o.exit)
	for _, m := range o.messages {
		b.WriteString(" | " + m)
	}
	for _, obj := range o.objects {
		fmt.Fprintf(&b, " | + %s %08x", obj.Name, crc32.ChecksumIEEE(obj.Data))
		if obj.System {
			b.WriteString(" system")
		}
	}
	return strings.ReplaceAll(b.String(), "\n", `\n`)
}

func (s *situation) arguments() []string {
	if s.args != "" {
		return strings.Fields(s.args)
	}
	var names []string
	for _, f := range s.files {
		names = append(names, f.name)
	}
	return names
}

// options parses the few options that situations use.
func (s *situation) options(t *testing.T) (opt Options, werror bool) {
	name := s.arch
	if name == "" {
		name = "sm_90"
	}
	opt = Options{Arch: name, CPUArch: "X86_64", Platform: platform.Linux.Name, PTXAS: PTXAS{Path: os.Getenv(PTXASVariable)}}
	for _, a := range s.arguments() {
		switch {
		case a == "-Werror":
			werror = true
		case a == "-suppress-arch-warning":
			opt.SuppressArchWarning = true
		case strings.HasPrefix(a, "-cpu-arch="):
			_, opt.CPUArch, _ = strings.Cut(a, "=")
		case strings.HasPrefix(a, "-l"):
			opt.Libraries = append(opt.Libraries, a[2:])
		case strings.HasPrefix(a, "-L"):
			opt.SearchPaths = append(opt.SearchPaths, a[2:])
		default:
			opt.Files = append(opt.Files, a)
		}
	}
	return opt, werror
}

// load runs the loader in the situation's folder.
func (s *situation) load(t *testing.T) *outcome {
	opt, werror := s.options(t)
	log := diag.Log{WarningsAreErrors: werror}
	loaded, err := Load(context.Background(), opt, &log)
	var d diag.Diagnostic
	if err != nil && !errors.As(err, &d) {
		t.Fatalf("%s: %v", s.name, err)
	}
	o := &outcome{exit: log.ExitStatus()}
	for _, d := range log.Diagnostics {
		if d.Severity == diag.Verbatim {
			o.messages = append(o.messages, d.Text())
		} else {
			o.messages = append(o.messages, fmt.Sprintf("%-8s: %s", d.Severity, d.Text()))
		}
	}
	if loaded != nil {
		o.objects = loaded.Objects
		parts := 0
		if strings.HasPrefix(opt.Arch, arch.Prefixes[arch.Virtual]) {
			parts = math.MaxInt
		}
		o.register = string(loaded.RegisterFile(parts))
	}
	return o
}

func (s *situation) write(t *testing.T, dir string) {
	for _, f := range s.files {
		path := filepath.Join(dir, f.name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// A run is the result of one run of the real tool.
type run struct {
	exit     int // -1 for a crash, -2 for a timeout
	messages []string
	output   []byte
	register string
}

func nvlink(t *testing.T, args ...string) *run {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	for _, f := range []string{"out.bin", "reg.c"} {
		os.Remove(f)
	}
	args = append(args, "-o", "out.bin", "--register-link-binaries=reg.c", "-ignore-host-info")
	cmd := exec.CommandContext(ctx, toolstest.NVLink(t), args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	r := &run{exit: cmd.ProcessState.ExitCode()}
	if ctx.Err() != nil {
		r.exit = -2
	} else if r.exit < 0 && err == nil {
		t.Fatal("nvlink: no exit status")
	}
	for line := range strings.Lines(stderr.String()) {
		r.messages = append(r.messages, strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "nvlink "))
	}
	r.output, _ = os.ReadFile("out.bin")
	reg, _ := os.ReadFile("reg.c")
	r.register = string(reg)
	return r
}

// compare describes the difference between culink's outcome and nvlink's. The description is "" if they are
// equal.
func (s *situation) compare(t *testing.T, ours *outcome) (crash bool, difference string) {
	target := "sm_90"
	if s.arch != "" {
		target = s.arch
	}
	if s.beyond {
		return true, ""
	}
	real := nvlink(t, append([]string{"-arch=" + target}, s.arguments()...)...)
	if real.exit < 0 {
		if ours.exit != diag.ExitFatal {
			return true, fmt.Sprintf("nvlink crashes or hangs, we exit %d", ours.exit)
		}
		return true, ""
	}
	if ours.exit == diag.ExitFatal {
		if !sameText(ours.messages, real.messages) || real.exit != ours.exit {
			return false, fmt.Sprintf("nvlink exits %d, says %q", real.exit, real.messages)
		}
		return false, ""
	}
	// nvlink links the objects that culink found. The remaining messages and the file must be the same.
	var names []string
	if err := os.WriteFile("nothing.o", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"-arch=" + target, "nothing.o"}
	for _, a := range s.arguments() {
		if a == "-Werror" || a == "-suppress-arch-warning" {
			args = append(args, a)
		}
	}
	var replace []string
	for i, o := range ours.objects {
		if o.System {
			continue
		}
		name := fmt.Sprintf("found-%d.cubin", i)
		if err := os.WriteFile(name, o.Data, 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, name)
		replace = append(replace, name, o.Name)
		names = append(names, o.Name)
	}
	found := nvlink(t, args...)
	want := slices.Clone(ours.messages)
	for _, m := range found.messages {
		m = strings.NewReplacer(replace...).Replace(m)
		if !slices.Contains(want, m) || strings.Contains(m, "Multiple") {
			want = append(want, m)
		}
	}
	switch {
	case found.exit < 0:
		return true, "nvlink crashes on the objects that we found"
	case !sameText(want, real.messages):
		return false, fmt.Sprintf("nvlink says %q, with our objects %q (%s)", real.messages, want, names)
	case real.exit == 0 && ours.exit != 0:
		return false, fmt.Sprintf("nvlink exits 0, we %d", ours.exit)
	case real.exit == 0 && !sameImage(real.output, found.output):
		return false, fmt.Sprintf("nvlink writes another file than from our objects %s", names)
	case real.exit == 0 && real.register != ours.register:
		return false, fmt.Sprintf("nvlink's register file is %q, ours %q", real.register, ours.register)
	}
	return false, ""
}

// sameText compares messages. Some contain line breaks.
func sameText(a, b []string) bool { return strings.Join(a, "\n") == strings.Join(b, "\n") }

// sameImage compares two linked files except for the notes about the tool.
func sameImage(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	fa, errA := cubin.Open("a", a)
	fb, errB := cubin.Open("b", b)
	if errA != nil || errB != nil || len(fa.Sections) != len(fb.Sections) {
		return false
	}
	for i := range fa.Sections {
		sa, sb := &fa.Sections[i], &fb.Sections[i]
		if sa.Name != sb.Name {
			return false
		}
		if sa.Name == ".note.nv.tkinfo" {
			continue
		}
		da, _ := fa.Data(uint32(i))
		db, _ := fb.Data(uint32(i))
		if !bytes.Equal(da, db) {
			return false
		}
	}
	return true
}

// alone is the suffix of an outcome that only culink has, because nvlink is not run in this situation.
const alone = " | (culink alone)"

// recordedOutcomes returns the outcomes of situations by their names.
func recordedOutcomes(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(outcomesFile)
	if err != nil && !*record {
		t.Fatal(err)
	}
	recorded := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, rest, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); ok && !strings.HasPrefix(line, "#") {
			recorded[name] = rest
		}
	}
	return recorded
}

// The tool in CULINK_HARMLESS (nvlink, or the driver of a libnvJitLink) crashes or hangs in no situation,
// except in those that only culink runs (CONF-012).
func TestSituationsEndNoTool(t *testing.T) {
	command := strings.Fields(os.Getenv("CULINK_HARMLESS"))
	if len(command) == 0 {
		t.Skip("CULINK_HARMLESS is not set: the nightly step harmless sets it")
	}
	recorded := recordedOutcomes(t)
	for _, s := range situations(t) {
		if strings.HasSuffix(recorded[s.name], alone) {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			s.write(t, ".")
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			args := append([]string{"-arch=" + cmp.Or(s.arch, "sm_90"), "-o", "out.bin"}, s.arguments()...)
			cmd := exec.CommandContext(ctx, command[0], slices.Concat(command[1:], args)...)
			cmd.Env = append(os.Environ(), "GOTRACEBACK=crash")
			if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() < 0 {
				t.Errorf("%v %v: %v", command[0], args, err)
			}
		})
	}
}

// TestSituations compares every outcome with the recorded one (LOAD-001, LOAD-003, LOAD-010, LOAD-011, LOAD-012,
// LOAD-013, LOAD-014, LOAD-015, LOAD-016, LOAD-017, LOAD-018, LOAD-020, LOAD-021, LOAD-022, LOAD-025, LOAD-026).
func TestSituations(t *testing.T) { testSituations(t, false) }

// TestLiveSituations also compares every outcome with that of nvlink.
func TestLiveSituations(t *testing.T) {
	toolstest.Oracle(t)
	testSituations(t, true)
}

func testSituations(t *testing.T, live bool) {
	recorded := recordedOutcomes(t)
	var lines []string
	for _, s := range situations(t) {
		t.Run(s.name, func(t *testing.T) {
			if runtime.GOARCH == "arm64" && strings.HasSuffix(s.name, " for unknown") {
				t.Skip("the recorded nvlink is for x86-64: unknown is another machine there")
			}
			t.Chdir(t.TempDir())
			s.write(t, ".")
			ours := s.load(t)
			line := ours.String()
			want, isAlone := strings.CutSuffix(recorded[s.name], alone)
			if !*record && line != want {
				t.Errorf("got  %s\nwant %s", line, want)
			}
			if live && !isAlone {
				crash, difference := s.compare(t, ours)
				if difference != "" {
					t.Errorf("%s\nours: %s\n%s", s.name, line, difference)
				}
				isAlone = crash
			}
			if isAlone {
				line += alone
			}
			lines = append(lines, s.name+": "+line)
		})
	}
	if *record && live && !t.Failed() {
		text := "# What loading each situation of situation_test.go gives, checked against nvlink 13.0.88 but where culink alone is asked; written by -record.\n" + strings.Join(lines, "\n") + "\n"
		if err := os.WriteFile(outcomesFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
