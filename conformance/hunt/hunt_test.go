package hunt

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/cleanenv"
	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/tools/toolstest"
)

// The test program also serves as the linkers under test: a fake one that concatenates its inputs, and faulty variants.
// The first argument, is=KIND, selects one of them. It is an argument because a confined linker gets no environment
// variable of the tests.
const fakePrefix = "is="

func TestMain(m *testing.M) {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "nvcc") {
		os.Exit(fakeCompiler(os.Args[1:]))
	}
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], fakePrefix) {
		os.Exit(fakeLinker(strings.TrimPrefix(os.Args[1], fakePrefix), os.Args[2:]))
	}
	cleanenv.Unset()
	os.Exit(m.Run())
}

func fakeLinker(kind string, args []string) int {
	var joined []byte
	output, bad := "", false
	for i, a := range args {
		switch {
		case a == "-o":
			output = args[i+1]
		case strings.HasSuffix(a, ".cubin") && args[i-1] != "-o":
			data, err := os.ReadFile(a)
			if err != nil {
				fmt.Fprintln(os.Stderr, "nvlink fatal   : Could not open input file '"+a+"'")
				return 1
			}
			joined = append(joined, data...)
			bad = bad || strings.Contains(string(data), "bad")
		}
	}
	if bad {
		switch kind {
		case "loss":
			told := slices.Contains(args, "--accept-lost-relocations")
			fmt.Fprintln(os.Stderr, "nvlink          : Input file 'p': an earlier -r has dropped the relocations of 'c'")
			if !told {
				return 255
			}
		case "bytes":
			joined = append(joined, 'x')
		case "exit":
			fmt.Fprintln(os.Stderr, "nvlink error   : Undefined reference to 'f' in 'a.cubin'")
			return 255
		case "message":
			fmt.Fprintln(os.Stderr, "nvlink warning : 7 of 'f'")
		case "stdout":
			fmt.Println("hello")
		case "nothing":
			return 0
		case "panic":
			panic("oh")
		case "hang":
			time.Sleep(time.Hour)
		}
	}
	if err := os.WriteFile(output, joined, 0o666); err != nil {
		return 1
	}
	return 0
}

// fakeHunter returns a hunter whose reference is the correct fake linker and whose linker under test is the given kind.
// Its pool has twenty units, one of which makes the faulty linkers fail.
func fakeHunter(t *testing.T, kind string) *hunter {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	limits := sandbox.Limits{Time: sandbox.DefaultLimits.Time, Memory: 64 << 30, Output: 1 << 20}
	tested := limits
	if kind == "hang" {
		tested.Time /= 20
	}
	h := &hunter{
		seed: 1, keep: t.TempDir(), perClass: 1, shrink: true, reduceTime: time.Hour, kept: map[string]int{}, options: linkOptions,
		reference: &sandbox.Linker{Command: []string{self, fakePrefix + "good"}, Limits: limits},
		linker:    &sandbox.Linker{Command: []string{self, fakePrefix + kind}, Limits: tested},
		pools:     map[int][]*member{},
	}
	for i := range 20 {
		data := fmt.Sprint("unit ", i, "\n")
		if i == 7 {
			data = "bad\n"
		}
		h.pools[80] = append(h.pools[80], &member{file: fmt.Sprint("m", i, ".cubin"), data: []byte(data)})
	}
	return h
}

// badTrial returns a link of several units with options, the bad unit among them.
func badTrial(h *hunter) *trial {
	t := &trial{sm: 80, arch: "sm_80", options: []string{"-v", "-w", "-g"}}
	for _, i := range []int{3, 7, 11, 15} {
		t.pool = append(t.pool, h.pools[80][i])
		t.order = append(t.order, h.pools[80][i].file)
	}
	return t
}

// The hunter detects every kind of faulty linker and reduces the trial to the one unit that shows the fault.
func TestCatches(t *testing.T) {
	for kind, class := range map[string]string{
		"good":    "",
		"bytes":   "bytes: file.size",
		"exit":    "exit 255, not 0:  | error   : Undefined reference to '*' in '*'",
		"message": "message:  | warning : N of '*'",
		"stdout":  "stdout:  | hello",
		"nothing": "file written: false, not true",
		"panic":   "trouble: panic: panic: oh",
		"hang":    "trouble: past the limit of time: ",
	} {
		t.Run(kind, func(t *testing.T) {
			h := fakeHunter(t, kind)
			v, err := h.judge(badTrial(h))
			if err != nil {
				t.Fatal(err)
			}
			if v.Class != class {
				t.Fatalf("class %q, want %q\n%s", v.Class, class, v.Detail)
			}
			if class == "" || kind == "hang" {
				return
			}
			small := h.reduce(badTrial(h), class)
			if len(small.order) != 1 || small.order[0] != "m7.cubin" || len(small.options) != 0 {
				t.Errorf("shrunk to %v with %v", small.order, small.options)
			}
		})
	}
}

// A difference is stored with everything that is needed to repeat it.
func TestKeeps(t *testing.T) {
	h := fakeHunter(t, "bytes")
	r := h.try(badTrial(h))
	f, refused, exit := r.finding, r.refused, r.exit
	if f == nil || refused || exit != 0 || f.folder == "" {
		t.Fatalf("%+v, %v, %d", f, refused, exit)
	}
	for name, want := range map[string]string{
		"class.txt": "bytes: file.size", "m7.cubin": "bad\n", "reference.cubin": "bad\n", "other.cubin": "bad\nx",
		"repeat.sh": "-arch=sm_80 m7.cubin -o out.cubin", "reference.txt": "exit 0", "other.txt": "exit 0", "diff.txt": "file.size",
	} {
		data, err := os.ReadFile(filepath.Join(f.folder, name))
		if err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s: %q, %v; want %q", name, data, err, want)
		}
	}
	if again := h.try(badTrial(h)); again.finding.folder != "" {
		t.Error("a second one of the class is kept")
	}
}

// The hunter reports a program that crashes the reference, but does not store it (CONF-012).
func TestKeepsNothingThatEndsTheReference(t *testing.T) {
	h := fakeHunter(t, "panic")
	h.reference, h.linker = h.linker, h.reference
	f := h.try(badTrial(h)).finding
	if f == nil || f.folder != "" || !strings.HasPrefix(f.class, "reference ") || !strings.Contains(f.detail, "not kept") {
		t.Fatalf("%+v", f)
	}
	if files, err := os.ReadDir(h.keep); err != nil || len(files) != 0 {
		t.Errorf("kept %v, %v", files, err)
	}
}

// If a linker refuses the loss of relocations, the link is repeated with the option that accepts it.
func TestAcceptsLoss(t *testing.T) {
	h := fakeHunter(t, "loss")
	if v, err := h.judge(badTrial(h)); err != nil || v.Class != "" || v.Choice == "" || !v.Refused {
		t.Errorf("%+v, %v", v, err)
	}
}

func TestOptionWeights(t *testing.T) {
	list, err := weigh("all=0,r=100")
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range list {
		if want := map[bool]int{true: 100}[o.name == "r"]; o.weight != want {
			t.Errorf("%s has weight %d", o.name, o.weight)
		}
	}
	if list, err := weigh("none"); err != nil || len(list) != 0 {
		t.Error("none is not none")
	}
	for _, bad := range []string{"r", "q=1", "r=x"} {
		if _, err := weigh(bad); err == nil {
			t.Errorf("%q is accepted", bad)
		}
	}
}

// The same seed gives the same trials.
func TestTrialsRepeat(t *testing.T) {
	h := fakeHunter(t, "good")
	h.units, h.chains = 4, 30
	for n := range 50 {
		a, b := h.trial(80, n), h.trial(80, n)
		if fmt.Sprint(a.steps()) != fmt.Sprint(b.steps()) {
			t.Fatalf("trial %d: %v and %v", n, a.steps(), b.steps())
		}
	}
}

// The live nvlink agrees with itself. A linker that damages its output does not agree with nvlink.
func TestLive(t *testing.T) {
	oracle := toolstest.Oracle(t)
	args := []string{"-n", "12", "-sm", "80", "-options", "none", "-jobs", "1"}
	var stdout, stderr strings.Builder
	if status := Command(nil, Libraries{}).Run(t.Context(), append(args, "-linker", filepath.Join(oracle, "bin", "nvlink")), &stdout, &stderr); status != commandline.OK {
		t.Errorf("nvlink differs from itself:\n%s%s", &stdout, &stderr)
	}
	spoil := filepath.Join(t.TempDir(), "spoil")
	script := "#!/bin/sh\n" + filepath.Join(oracle, "bin", "nvlink") + " \"$@\" || exit\nprintf x >> out.cubin\n"
	if err := os.WriteFile(spoil, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	stdout.Reset()
	if status := Command(nil, Libraries{}).Run(t.Context(), append(args, "-linker", spoil), &stdout, &stderr); status != commandline.Differs {
		t.Errorf("a spoiled output is not noticed:\n%s%s", &stdout, &stderr)
	}
}
