package versus

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
)

// If the reference crashes, a clear error of the linker under test is correct.
func TestReferenceCrash(t *testing.T) {
	crash := Outcome{Exit: 139, Trouble: "signal 11"}
	for _, tt := range []struct {
		other Outcome
		class string
	}{
		{Outcome{Exit: 1, Stderr: "nvlink fatal   : no"}, ""},
		{Outcome{Exit: 255, Stderr: "nvlink error   : no"}, ""},
		{Outcome{Exit: 0, Output: []byte("x")}, "reference signal 11"},
		{crash, "reference signal 11"},
	} {
		if got := compareAll(crash, tt.other).Class; got != tt.class {
			t.Errorf("%+v: %q, want %q", tt.other, got, tt.class)
		}
	}
}

// An error that only culink reports is correct if the reference writes wrong code and culink writes no output.
func TestErrorByChoice(t *testing.T) {
	message := "culink error   : Input file 'p' cannot be linked: an earlier -r has dropped the relocations of 'c', which is moved\n"
	for _, tt := range []struct {
		name  string
		other Outcome
		same  bool
	}{
		{"own error", Outcome{Exit: 255, Stderr: message}, true},
		{"other error", Outcome{Exit: 255, Stderr: "culink error   : no\n"}, false},
		{"output all the same", Outcome{Exit: 255, Stderr: message, Output: []byte("moved")}, false},
		{"message without an error", Outcome{Stderr: message, Output: []byte("moved")}, false},
	} {
		if got := refusesLoss(tt.other); got != tt.same {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// A linker with the option that accepts the loss warns about it. The link fails if warnings are errors.
func TestFailsForLoss(t *testing.T) {
	errors := Step{Args: []string{"-arch=sm_80", "-Werror", "a.cubin"}}
	for _, tt := range []struct {
		name     string
		step     Step
		accepted Outcome
		want     bool
	}{
		{"warnings are errors", errors, Outcome{Exit: 255}, true},
		{"beside sizes", errors, Outcome{Exit: 255, Stderr: "nvlink info    : 0 bytes gmem\n"}, true},
		{"warnings are warnings", Step{Args: []string{"-arch=sm_80"}}, Outcome{Exit: 255}, false},
		{"something else is wrong", errors, Outcome{Exit: 255, Stderr: "nvlink error   : no\n"}, false},
		{"it links", errors, Outcome{Output: []byte("linked")}, false},
	} {
		if got := failsForLoss(tt.step, tt.accepted); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
}

// A repair is also recognised with -Werror, although the warnings about the loss then make the link with the accepting
// option fail.
func TestRepairsBesideErrors(t *testing.T) {
	var accepted string // option with which the linker does not repair the loss
	lossy := runner(func(argv []string) *attempt.Outcome {
		if accepted == "" || !slices.Contains(argv, accepted) {
			return &attempt.Outcome{Stdout: []byte("1092 bytes\n")}
		}
		if slices.Contains(argv, werror) {
			return &attempt.Outcome{Exit: 255, Stderr: []byte("nvlink error   : " + lossMark + " 'v'\n")}
		}
		return &attempt.Outcome{Stdout: []byte("1088 bytes\n"), Stderr: []byte("nvlink warning : " + lossMark + " 'v'\n")}
	})
	reference := runner(func([]string) *attempt.Outcome { return &attempt.Outcome{Stdout: []byte("1088 bytes\n")} })
	p := Pair{Linker: lossy, Reference: reference}
	for word, want := range map[string]string{"": "", "--accept-lost-relocations": loss} {
		accepted = word
		for _, args := range [][]string{{"-v"}, {"-v", werror}} {
			v, err := p.Judge(nil, Step{Args: args})
			if err != nil || v.Choice != want || (v.Class == "") != (want != "") {
				t.Errorf("%q accepts, %v: choice %q, class %q, %v; want %q", word, args, v.Choice, v.Class, err, want)
			}
		}
	}
}

// runner is a Runner that computes the outcome from the arguments alone.
type runner func(argv []string) *attempt.Outcome

func (r runner) Run(_ context.Context, _ attempt.Files, argv []string) (*attempt.Outcome, error) {
	return r(argv), nil
}

// nvlink applies the relocations of the first code to all code with the same name from an earlier -r (E-354).
func TestRelocationsByChoice(t *testing.T) {
	for name, want := range map[string]bool{
		"mercury/relinked-relocations/sm_100/in/part.cubin":  true,
		"mercury/relinked-statics/sm_100/1.out/part.cubin":   false,
		"mercury/relinked-frame-pairs/sm_100/in/long.cubin":  false,
		"mercury/relinked-jump-tables/sm_100/in/short.cubin": false,
	} {
		data, err := fs.ReadFile(corpus.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		if got := mistakesRelocations(attempt.Files{"in.cubin": data}, Step{Args: []string{"in.cubin"}}); got != want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// nvlink finalizes all code with one name from an earlier -r with the options of the first (E-991).
func TestMistakenOptions(t *testing.T) {
	info := func(name, option string) string {
		return "section .nv.merc.nv.info." + name + "\n\tattr MERCURY_FINALIZER_OPTIONS " + option + "\n"
	}
	for sections, want := range map[string]bool{
		info("f", "1") + info("f", "2"): true,
		info("f", "1") + info("f", "1"): false,
		info("f", "1") + info("g", "2"): false,
	} {
		files := attempt.Files{"in.cubin": parsed(t, sections)}
		v := &Verdict{Class: "bytes: section.text.*.bytes"}
		if got := (&Pair{}).choice(files, Step{Args: []string{"in.cubin"}}, v) == "E-991"; got != want {
			t.Errorf("%s: %t", sections, got)
		}
	}
}

// If an earlier input refers to an alias, and the symbol of the alias precedes that of its function, nvlink writes the
// alias without a register count (E-371).
func TestRegistersByChoice(t *testing.T) {
	files := attempt.Files{}
	for _, name := range []string{"b.cubin", "f.cubin", "partial.cubin"} {
		data, err := fs.ReadFile(corpus.Files, "merge/alias-awaited/sm_90/in/"+name)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	for args, want := range map[string]bool{
		"b.cubin partial.cubin": true,
		"partial.cubin b.cubin": false,
		"partial.cubin":         false,
		"b.cubin f.cubin":       false,
	} {
		if got := losesRegisters(files, Step{Args: strings.Fields(args)}); got != want {
			t.Errorf("%s: %t", args, got)
		}
	}
}

// A texture that is a parameter of a kernel may have the name of something else (E-352).
func TestParameterNamesByChoice(t *testing.T) {
	files := attempt.Files{}
	for name, symbol := range map[string]string{"parameter": "t local texture .text.k", "variable": "t global texture undef", "other": "u global texture undef"} {
		data, err := cubintext.Parse(name, "cutext 1\nheader sm=90\nsection .shstrtab\nsection .strtab\nsection .symtab\n\tsymbol "+symbol+"\nsection .text.k\n")
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	for args, want := range map[string]bool{
		"parameter variable":  true,
		"parameter parameter": true,
		"parameter other":     false,
		"variable variable":   false,
	} {
		if got := sharesParameterNames(files, Step{Args: strings.Fields(args)}); got != want {
			t.Errorf("%s: %t", args, got)
		}
	}
}

// Inputs on which nvlink ends with an internal error of its own are linked (E-781, E-782). The finalizer refuses an
// output for nvlink, and an input for culink (E-965).
func TestErrorsOfTheReference(t *testing.T) {
	for _, tt := range []struct{ reference, other, want string }{
		{"nvlink fatal   : Internal error: Negative size encountered\n", "", "E-781"},
		{"nvlink fatal   : Internal error: conflicting crs_stack attribute\n", "", "E-782"},
		{"nvlink fatal   : Internal error: conflicting crs_stack attribute\n", "nvlink fatal   : Internal error: output\n", ""},
		{"nvlink fatal   : Internal error: output\n", "", ""},
		{"nvlink fatal   : Internal FNLZR error 'out'\n", "nvlink fatal   : Internal FNLZR error 'in'\n", "E-965"},
		{"nvlink fatal   : Internal FNLZR error 'out'\n", "", ""},
	} {
		v := &Verdict{Class: "exit 0, not 1", Reference: Outcome{Exit: 1, Stderr: tt.reference}, Other: Outcome{Stderr: tt.other}}
		p := &Pair{Linker: runner(func([]string) *attempt.Outcome { return &attempt.Outcome{} })}
		if got := p.choice(nil, Step{}, v); got != tt.want {
			t.Errorf("%q and %q: %q, want %q", tt.reference, tt.other, got, tt.want)
		}
	}
}

// An output on which both linkers agree, and which is unsound as an erratum says, is by choice (E-380). So it is not if
// something else is wrong in it.
func TestUnsoundByErratum(t *testing.T) {
	read := func(name string) []byte {
		data, err := fs.ReadFile(corpus.Files, "texture/slots-by-address/sm_80/"+name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	files, s := attempt.Files{"O0.cubin": read("in/O0.cubin")}, Step{Args: []string{"-arch=sm_80", "O0.cubin", "-o", "out.cubin"}, Output: "out.cubin"}
	output := read("1.out/out.cubin")
	for _, want := range []string{"E-380", ""} {
		same := runner(func([]string) *attempt.Outcome { return &attempt.Outcome{Files: attempt.Files{"out.cubin": output}} })
		p := &Pair{Linker: same, Reference: same, Sound: true}
		v, err := p.Judge(files, s)
		if err != nil || v.Choice != want || (v.Class == "") != (want != "") {
			t.Errorf("choice %q, class %q, %v; want choice %q", v.Choice, v.Class, err, want)
		}
		output = spoilLastByte(t, output)
	}
}

// If outputs differ only in the schedule of a function, and only that of the reference is unsafe, the difference is by choice
// (E-540). The output of the linker that is unsafe is no such case.
func TestUnsafeScheduleOfReference(t *testing.T) {
	read := func(name string) []byte {
		data, err := fs.ReadFile(corpus.Files, "mercury/scoreboards/sm_100/"+name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	files, s := attempt.Files{"a.cubin": read("in/a.cubin")}, Step{Args: []string{"-arch=sm_100", "a.cubin", "-o", "out.cubin"}, Output: "out.cubin"}
	writes := func(output []byte) runner {
		return func([]string) *attempt.Outcome { return &attempt.Outcome{Files: attempt.Files{"out.cubin": output}} }
	}
	safe := read("1.out/out.cubin")
	unsafe := withoutWaits(t, safe, ".text._Z6choosePi")
	for want, outputs := range map[string][2][]byte{"E-540": {unsafe, safe}, "": {unsafe, unsafe}} {
		p := &Pair{Linker: writes(outputs[1]), Reference: writes(outputs[0]), Sound: true}
		v, err := p.Judge(files, s)
		if err != nil || v.Choice != want || (v.Class == "") != (want != "") {
			t.Errorf("choice %q, class %q, %v; want choice %q", v.Choice, v.Class, err, want)
		}
	}
}

// An output that both linkers make, and that is unsafe in a fence under the result of a barrier alone, is by choice too (E-540).
func TestUnsafeFencesOfBoth(t *testing.T) {
	text, err := os.ReadFile("../sound/testdata/fences/barrier-100.txt")
	if err != nil {
		t.Fatal(err)
	}
	input, err := cubintext.Parse("a.cubin", string(text))
	if err != nil {
		t.Fatal(err)
	}
	output := linker.Link(t.Context(), linker.Options{Arch: "sm_100", Debug: true}, []linker.Input{{Name: "a.cubin", Data: input}}).Output
	s := Step{Args: []string{"-arch=sm_100", "-g", "a.cubin", "-o", "out.cubin"}, Output: "out.cubin"}
	for want, output := range map[string][]byte{"E-540": output, "": withoutWaits(t, output, ".text.k")} {
		same := runner(func([]string) *attempt.Outcome { return &attempt.Outcome{Files: attempt.Files{"out.cubin": output}} })
		v, err := (&Pair{Linker: same, Reference: same, Sound: true}).Judge(attempt.Files{"a.cubin": input}, s)
		if err != nil || v.Choice != want || (v.Class == "") != (want != "") {
			t.Errorf("choice %q, class %q, %v; want choice %q", v.Choice, v.Class, err, want)
		}
	}
}

// withoutWaits returns a copy of a cubin in which no instruction of a section waits for a scoreboard.
func withoutWaits(t *testing.T, data []byte, section string) []byte {
	t.Helper()
	f, err := cubin.Open("", data)
	if err != nil {
		t.Fatal(err)
	}
	const size = 16 // of an instruction, whose wait mask lies in the last two bytes
	data = slices.Clone(data)
	for _, s := range f.Sections {
		if s.Name == section {
			for at := s.Offset; at < s.Offset+s.Size; at += size {
				data[at+size-2] &^= 0xf0
				data[at+size-1] &^= 0x03
			}
			return data
		}
	}
	t.Fatalf("the cubin has no section %s", section)
	return nil
}

// spoilLastByte returns a copy of a cubin in which the last byte of its machine code is another.
func spoilLastByte(t *testing.T, data []byte) []byte {
	t.Helper()
	f, err := cubin.Open("", data)
	if err != nil {
		t.Fatal(err)
	}
	data = slices.Clone(data)
	for _, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".text.") {
			data[s.Offset+s.Size-1] ^= 1
			return data
		}
	}
	t.Fatal("the cubin has no machine code")
	return nil
}

// nvlink links the tables of unified functions and variables to a section of another file (E-470).
func TestLinksOfUnifiedTables(t *testing.T) {
	for class, want := range map[string]string{
		"bytes: section.nv.uft.entry.link":  "E-470",
		"bytes: section.nv.udt.entry.link":  "E-470",
		"bytes: section.nv.uft.entry.bytes": "",
		"bytes: section.symtab.link":        "",
	} {
		p := &Pair{Linker: runner(func([]string) *attempt.Outcome { return &attempt.Outcome{} })}
		if got := p.choice(nil, Step{}, &Verdict{Class: class, Reference: Outcome{Exit: 1}}); got != want {
			t.Errorf("%s: %q, want %q", class, got, want)
		}
	}
}

// Stubs of unified functions are refused in an early phase (E-470). Without such a stub another cause has the same message.
func TestRefusedStubs(t *testing.T) {
	const refused = "nvlink error   : Finalization failed: 'unsupported elf type'\nnvlink fatal   : elfLink error finalization failed\n"
	files := attempt.Files{
		"stub":  parsed(t, "section .nv.uft.rel.f\n"),
		"plain": parsed(t, "section .text.f\n"),
	}
	for args, want := range map[string]string{"plain stub": "E-470", "plain": ""} {
		v := &Verdict{Class: "file written: false, not true", Reference: Outcome{Exit: 1, Stderr: refused, Output: []byte{}}, Other: Outcome{Exit: 1, Stderr: refused}}
		p := &Pair{Linker: runner(func([]string) *attempt.Outcome { return &attempt.Outcome{} })}
		if got := p.choice(files, Step{Args: strings.Fields(args)}, v); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

// nvlink prints another kernel's registers for a kernel without a count (E-978). A kernel with a count is no such case, nor
// is a difference in other numbers.
func TestUncountedRegisters(t *testing.T) {
	said := func(registers, barriers int) Outcome {
		return Outcome{Stderr: fmt.Sprintf("nvlink info    : used %d registers, used %d barriers\n", registers, barriers)}
	}
	const kernel = "section .symtab\n\tsymbol k global func .text.k other=entry\nsection .text.k\n"
	files := attempt.Files{
		"counted":   parsed(t, kernel+"section .nv.info\n\tattr REGCOUNT @k 8\n"),
		"uncounted": parsed(t, kernel),
	}
	for _, tt := range []struct {
		args  string
		other Outcome
		want  string
	}{
		{"counted uncounted", said(8, 0), "E-978"},
		{"counted", said(8, 0), ""},
		{"uncounted", said(8, 1), ""},
		{"uncounted", said(24, 0), ""},
	} {
		v := &Verdict{Class: "message", Reference: said(24, 0), Other: tt.other}
		p := &Pair{Linker: runner(func([]string) *attempt.Outcome { return &attempt.Outcome{} })}
		if got := p.choice(files, Step{Args: strings.Fields(tt.args)}, v); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.args, got, tt.want)
		}
	}
}

// nvlink leaves places of code uninitialised in the descriptions of replaced code, where culink writes 0 (E-440). Without
// such code, and where culink writes something else, the difference has another cause.
func TestRegistersOfReplacedCode(t *testing.T) {
	files := attempt.Files{
		"short": parsed(t, "section .text.f\n\tu32 1 2 3 4\n"),
		"long":  parsed(t, "section .text.f\n\tu32 1 2 3 4 5 6 7 8\n"),
	}
	describe := func(begin int) Outcome {
		return Outcome{Output: parsed(t, fmt.Sprintf("section .nv_debug_info_reg_sass\n\tu32 5 %d 16\n", begin))}
	}
	for _, tt := range []struct {
		args             string
		reference, other int
		want             string
	}{
		{"short long", 0x7f01, 0, "E-440"},
		{"short short", 0x7f01, 0, ""},
		{"short long", 0x7f01, 16, ""},
	} {
		v := &Verdict{Class: "bytes: section.nv_debug_info_reg_sass.bytes", Reference: describe(tt.reference), Other: describe(tt.other)}
		p := &Pair{Linker: runner(func([]string) *attempt.Outcome { return &attempt.Outcome{} })}
		if got := p.choice(files, Step{Args: strings.Fields(tt.args)}, v); got != tt.want {
			t.Errorf("%s, %#x and %#x: %q, want %q", tt.args, tt.reference, tt.other, got, tt.want)
		}
	}
}

// nvlink gives a common variable no place that a later input defines weakly (E-992). Other reasons for the message, and other
// differences, are no such case.
func TestWeakBesideCommon(t *testing.T) {
	const deleted = "nvlink fatal   : Internal error: reference to deleted section\n"
	files := attempt.Files{
		"common": parsed(t, "section .symtab\n\tsymbol c global data common other=global value=4 size=4\n"),
		"weak":   parsed(t, "section .symtab\n\tsymbol c weak data .nv.global.init other=global size=4\nsection .nv.global.init\n\tu32 1\n"),
		"strong": parsed(t, "section .symtab\n\tsymbol c global data .nv.global.init other=global size=4\nsection .nv.global.init\n\tu32 1\n"),
	}
	const base = "section .symtab\n\tsymbol e global data .nv.global other=global size=16\n"
	const noCommon, code = "\tsymbol c global data common other=global value=-2 size=4\n", "section .text.k\n\tu32 1\n"
	noPlace := parsed(t, base+noCommon+"section .nv.global size=16\n")
	changed := parsed(t, base+noCommon+code+"section .nv.global size=16\n")
	placed := parsed(t, base+"\tsymbol c global data .nv.global other=global value=16 size=4\nsection .nv.global size=20\n")
	for _, tt := range []struct {
		args      string
		reference Outcome
		want      string
	}{
		{"common weak", Outcome{Exit: 1, Stderr: deleted}, "E-992"},
		{"weak common", Outcome{Exit: 1, Stderr: deleted}, ""},
		{"common strong", Outcome{Exit: 1, Stderr: deleted}, ""},
		{"common weak", Outcome{Output: noPlace}, "E-992"},
		{"common weak", Outcome{Output: changed}, ""},
		{"common weak", Outcome{Output: files["weak"]}, ""},
		{"common weak", Outcome{Output: []byte("text")}, ""},
	} {
		v := &Verdict{Class: "bytes: section.nv.global", Reference: tt.reference, Other: Outcome{Output: placed}}
		p := &Pair{Linker: runner(func([]string) *attempt.Outcome { return &attempt.Outcome{} }), Reference: runner(func([]string) *attempt.Outcome { return &attempt.Outcome{} })}
		if got := p.choice(files, Step{Args: strings.Fields(tt.args)}, v); got != tt.want {
			t.Errorf("%s and %q: %q, want %q", tt.args, tt.reference.Stderr, got, tt.want)
		}
	}
}

// Register files differ in the names of the folders in which they were made, and in nothing else.
func TestOwnFolders(t *testing.T) {
	for _, tt := range []struct {
		reference, other, want string
	}{
		{"F(_tmp_cuconform_12_work_a_cubin)", "F(_tmp_cuconform_345_work_a_cubin)", ""},
		{"F(_tmp_cuconform_12_work_a_cubin)", "F(_tmp_cuconform_12_work_b_cubin)", "bytes"},
		{"F(_tmp_other_12_work_a_cubin)", "F(_tmp_other_345_work_a_cubin)", "bytes"},
		{"\x7fELF_cuconform_12_work_", "\x7fELF_cuconform_34_work_", "bytes"},
	} {
		v := compareAll(Outcome{Output: []byte(tt.reference)}, Outcome{Output: []byte(tt.other)})
		if class, _, _ := strings.Cut(v.Class, ":"); class != tt.want {
			t.Errorf("%s and %s: %q", tt.reference, tt.other, v.Class)
		}
	}
}

// parsed returns a cubin for sm_90 with the given sections.
func parsed(t *testing.T, sections string) []byte {
	t.Helper()
	data, err := cubintext.Parse("test", "cutext 1\nheader sm=90\nsection .shstrtab\nsection .strtab\n"+sections)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// Extensible whole programs that nvlink links wrongly are refused (E-750, E-800, E-840), also where the reference ends the
// link later. It is no choice if both say so.
func TestRefusedWholePrograms(t *testing.T) {
	const shared = "nvlink fatal   : Kernel 'k' has a second definition in 'b'; one of the two is of an extensible whole program, and their shared variables get no place: compile it without -ewp\n"
	for _, tt := range []struct {
		reference Outcome
		other     string
		want      string
	}{
		{Outcome{}, shared, "E-800"},
		{Outcome{Exit: 255, Stderr: "nvlink error   : Undefined reference to 'f' in 'a'\n"}, shared, "E-800"},
		{Outcome{}, strings.Replace(shared, "shared variables", "slots of textures", 1), "E-840"},
		{Outcome{}, "nvlink fatal   : Function 'k' in 'a' is of an extensible whole program; with -r and with -g it needs NVIDIA's code generator: link without them, or compile it without -ewp\n", "E-750"},
		{Outcome{Exit: 1, Stderr: shared}, shared, ""},
	} {
		v := &Verdict{Class: "exit 1, not 0", Reference: tt.reference, Other: Outcome{Exit: 1, Stderr: tt.other}}
		p := &Pair{Linker: runner(func([]string) *attempt.Outcome { return &attempt.Outcome{} })}
		if got := p.choice(nil, Step{}, v); got != tt.want {
			t.Errorf("%v and %q: %q, want %q", tt.reference, tt.other, got, tt.want)
		}
	}
}

func TestPattern(t *testing.T) {
	for message, want := range map[string]string{
		"nvlink error   : Undefined reference to 'f' in 'u1.cubin'":                  "error   : Undefined reference to '*' in '*'",
		"nvlink error   : Size doesn't match for 'v' in 'b', first specified in 'a'": "error   : Size doesn't match for '*' in '*', first specified in '*'",
		"File uses too much global constant data (0x13880 bytes, 0x10000 max)":       "File uses too much global constant data (N bytes, N max)",
		"used 24 registers": "used N registers",
	} {
		if got := Pattern(message); got != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}

// With -image only the image is compared. The linkers may differ in name and messages.
func TestImageOnly(t *testing.T) {
	read := func(sm string) []byte {
		data, err := corpus.Files.ReadFile("basic/two-files/sm_" + sm + "/1.out/out.cubin")
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	good := Outcome{Output: read("80")}
	renamed := Outcome{Output: bytes.Replace(read("80"), []byte("nvlink\x00"), []byte("culink\x00"), 1), Stderr: "done\n"}
	for _, c := range []struct {
		name       string
		imageOnly  bool
		ref, other Outcome
		class      string
	}{
		{"renamed", true, good, renamed, ""},
		{"renamed, all compared", false, good, renamed, "message: "},
		{"another image", true, good, Outcome{Output: read("86")}, "image: "},
		{"no output", true, good, Outcome{}, "file: "},
		{"failure", true, good, Outcome{Exit: 1}, "exit 1, not 0"},
		{"failures of two kinds", true, Outcome{Exit: 255}, Outcome{Exit: 1}, ""},
		{"crash", true, good, Outcome{Exit: 139, Trouble: "signal 11"}, "trouble: signal 11"},
	} {
		if got := compare(c.ref, c.other, c.imageOnly).Class; !strings.HasPrefix(got, c.class) || c.class == "" && got != "" {
			t.Errorf("%s: class %q, want %q", c.name, got, c.class)
		}
	}
}

// A kernel with another assignment of scoreboards is counted, but is not a difference.
func TestScheduleIsNoDifference(t *testing.T) {
	read := func(name string) []byte {
		data, err := fs.ReadFile(corpus.Files, "info/pragmas-and-exits/sm_100/"+name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	reference := Outcome{Output: read("1.out/out.cubin")}
	linked := linker.Link(t.Context(), linker.Options{ToolName: "nvlink", Arch: "sm_100", Note: "-arch sm_100 "},
		[]linker.Input{{Name: "a.cubin", Data: read("in/a.cubin")}})
	if v := compareAll(reference, Outcome{Output: linked.Output}); v.Class != "" || v.Functions != (codematch.Count{Equal: 2, Masked: 1}) {
		t.Errorf("%q, %s", v.Class, v.Functions)
	}
	linked.Output[len(linked.Output)-1]++
	if v := compareAll(reference, Outcome{Output: linked.Output}); v.Class == "" {
		t.Error("another byte is no difference")
	}
}

// If a malformed file makes the comparison panic, the verdict is a difference that names the source line (CONF-015).
func TestAFailedJudgeIsADifference(t *testing.T) {
	v := judged(func() Verdict { var nothing *Verdict; return *nothing })
	if v.Class != failedJudge || !strings.Contains(v.Detail, "versus/versus_test.go:") {
		t.Errorf("%+v", v)
	}
}

// Host objects that name kernels choose them as options do, so that equal constants may be one (E-335, LOAD-114).
func TestHostObjectsJoinConstants(t *testing.T) {
	constants := parsed(t, "section .symtab\n\tsymbol a global data .nv.constant3 other=constant size=16\nsection .nv.constant3\n\tu32 1 2 3 4\n")
	files := attempt.Files{"a.o": append(slices.Clone(constants), ".nvHRKE"...), "b.o": append(slices.Clone(constants), ".nvHRKI"...), "c.o": constants, "d.cubin": constants}
	for args, want := range map[string]string{"a.o b.o": "E-335", "a.o c.o": "", "a.o d.cubin": "", "a.o b.o -ignore-host-info": "", "a.o d.cubin -kernels-used=k": "E-335"} {
		v := &Verdict{Class: "bytes: section.nv.constant3.size", Other: Outcome{Output: constants}, Reference: Outcome{Output: constants}}
		p := &Pair{Linker: runner(func([]string) *attempt.Outcome { return &attempt.Outcome{} }), Reference: runner(func([]string) *attempt.Outcome { return &attempt.Outcome{} })}
		if got := p.choice(files, Step{Args: strings.Fields(args)}, v); got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}
