package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/fuzz/quick"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubintext"
)

// The bytes of the fuzz engine determine programs of one to three files. Each file declares, defines or omits functions
// and variables. There are few names, so strong and weak definitions of one name meet, with equal and different sizes.

// choices are bytes that determine decisions. After the last byte, all decisions are 0.
type choices []byte

func (c *choices) next(n int) int {
	if len(*c) == 0 {
		return 0
	}
	v := int((*c)[0]) % n
	*c = (*c)[1:]
	return v
}

func (c *choices) bool() bool { return c.next(2) == 1 }

// A fileMaker writes one file of a program.
type fileMaker struct {
	*choices
	symbols, info, calls, taken, protos, sections strings.Builder

	functions, variables []string // names that the code may refer to
	defined              []string // functions with code
	entry                map[string]bool
}

// makeProgram returns the target, sm_80 or sm_90, and the files of a link in the text form.
func makeProgram(data []byte) (target string, texts []string) {
	c := choices(data)
	sm := []int{80, 90}[c.next(2)]
	for range 1 + c.next(3) {
		f := &fileMaker{choices: &c, entry: map[string]bool{}}
		texts = append(texts, f.file(sm))
	}
	return fmt.Sprintf("sm_%d", sm), texts
}

func (f *fileMaker) file(sm int) string {
	for i := range 2 {
		f.function(fmt.Sprintf("k%d", i), true)
	}
	for i := range 4 {
		f.function(fmt.Sprintf("f%d", i), false)
	}
	for i := range 4 {
		f.variable(fmt.Sprintf("v%d", i))
	}
	for _, name := range f.defined {
		f.code(sm, name)
	}
	return fmt.Sprintf("cutext 1\nheader sm=%d\nsection .shstrtab\nsection .strtab\nsection .symtab\n%s"+
		"section .note.nv.cuinfo\n\tcuinfo\nsection .nv.info\n%ssection .nv.callgraph\n\tcalls direct\n%s"+
		"\tcalls taken\n%s\tcalls indirect\n\tcalls references\nsection .nv.prototype\n%s%s",
		sm, f.symbols.String(), f.info.String(), f.calls.String(), f.taken.String(), f.protos.String(), f.sections.String())
}

// function omits, declares or defines a function.
func (f *fileMaker) function(name string, entry bool) {
	other := ""
	if entry {
		other = " other=entry"
	}
	binding := []string{"global", "weak"}[f.next(2)]
	switch f.next(4) {
	case 0:
		return
	case 1:
		if entry {
			return // compilers declare no kernels
		}
		fmt.Fprintf(&f.symbols, "\tsymbol %s %s func undef\n", name, binding)
	default:
		fmt.Fprintf(&f.symbols, "\tsymbol .text.%s\n\tsymbol %s %s func .text.%s%s\n", name, name, binding, name, other)
		if entry {
			fmt.Fprintf(&f.symbols, "\tsymbol .nv.constant0.%s\n", name)
		}
		f.defined = append(f.defined, name)
		f.entry[name] = entry
	}
	f.functions = append(f.functions, name)
}

// variable omits, declares or defines a variable.
func (f *fileMaker) variable(name string) {
	size, binding := 4<<f.next(3), []string{"global", "weak"}[f.next(2)]
	switch f.next(6) {
	case 0:
		return
	case 1:
		fmt.Fprintf(&f.symbols, "\tsymbol %s global data undef other=global size=%d\n", name, size)
	case 2:
		fmt.Fprintf(&f.symbols, "\tsymbol %s global data common other=global value=%d size=%d\n", name, size, size)
	case 3: // each has a separate section, so that they do not overlap
		section := ".nv.global.init"
		if strings.Contains(f.sections.String(), "section "+section+" ") {
			return
		}
		fmt.Fprintf(&f.symbols, "\tsymbol %s %s data %s other=global size=%d\n", name, binding, section, size)
		fmt.Fprintf(&f.sections, "section %s align=%d\n\thex %s\n", section, size, strings.Repeat("5a", size))
	case 4:
		section := ".nv.global"
		if strings.Contains(f.sections.String(), "section "+section+" ") {
			return
		}
		fmt.Fprintf(&f.symbols, "\tsymbol %s %s data %s other=global size=%d\n", name, binding, section, size)
		fmt.Fprintf(&f.sections, "section %s size=%d align=%d\n", section, size, size)
	case 5:
		section := ".nv.constant3"
		if strings.Contains(f.sections.String(), "section "+section+" ") {
			return
		}
		fmt.Fprintf(&f.symbols, "\tsymbol %s %s data %s other=constant size=%d\n", name, binding, section, size)
		fmt.Fprintf(&f.sections, "section %s align=%d\n\thex %s\n", section, size, strings.Repeat("c3", size))
		return // only code that has the same bank may refer to the variable
	}
	f.variables = append(f.variables, name)
}

// code writes the code of a function: its calls, its references and its attributes.
func (f *fileMaker) code(sm int, name string) {
	registers := 8 * (1 + f.next(5))
	fmt.Fprintf(&f.info, "\tattr REGCOUNT @%s %d\n\tattr FRAME_SIZE @%s %d\n", name, registers, name, 8*f.next(4))
	var plain, explicit strings.Builder
	length := 1 + f.next(4)
	for i := range length - 1 {
		at := 16 * i
		switch f.next(4) {
		case 1:
			if to := f.functions[f.next(len(f.functions))]; !strings.HasPrefix(to, "k") {
				fmt.Fprintf(&plain, "\trel %#x R_CUDA_ABS47_34 %s\n", at, to)
				if edge := fmt.Sprintf("\tedge %s %s\n", name, to); !strings.Contains(f.calls.String(), edge) {
					f.calls.WriteString(edge)
				}
			}
		case 2:
			if len(f.variables) > 0 {
				kind := []string{"R_CUDA_ABS32_LO_32", "R_CUDA_ABS32_HI_32", "R_CUDA_ABS32_32"}[f.next(3)]
				fmt.Fprintf(&explicit, "\trel %#x %s %s +%d\n", at, kind, f.variables[f.next(len(f.variables))], 4*f.next(3))
			}
		case 3:
			if len(f.variables) > 0 {
				fmt.Fprintf(&plain, "\trel %#x R_CUDA_ABS32_LO_32 %s\n", at, f.variables[f.next(len(f.variables))])
			}
		}
	}
	table := func(kind string, lines string) {
		if lines != "" {
			fmt.Fprintf(&f.sections, "section %s.text.%s\n%s", kind, name, lines)
		}
	}
	table(".rel", plain.String())
	table(".rela", explicit.String())
	fmt.Fprintf(&f.sections, "section .nv.info.%s\n\tattr CUDA_API_VERSION 0x82\n", name)
	if f.bool() {
		fmt.Fprintf(&f.sections, "\tattr NUM_BARRIERS %d\n", 1+f.next(3))
	}
	if f.entry[name] {
		fmt.Fprintf(&f.sections, "\tattr PARAM_CBANK @.nv.constant0.%s offset=%#x size=8\n\tattr CBANK_PARAM_SIZE 8\n\tattr KPARAM_INFO 0 size=8\n", name, parameters(sm))
		fmt.Fprintf(&f.sections, "section .nv.constant0.%s\n\tzero %d\n", name, parameters(sm)+8)
	} else if f.bool() {
		fmt.Fprintf(&f.protos, "\tproto %s \"#v\"\n", name)
	}
	count := ""
	if sm < 90 {
		count = fmt.Sprintf(" regs=%d", registers)
	}
	fmt.Fprintf(&f.sections, "section .text.%s%s\n%s", name, count, strings.Repeat("\tu64 0x0000000000007918 0x000fc00000000000\n", length-1))
	fmt.Fprintf(&f.sections, "\tu64 0x000000000000794d 0x000fea0003800000\n")
}

// parameters returns the offset of a kernel's parameters in constant bank 0.
func parameters(sm int) int {
	if sm >= 90 {
		return 0x210
	}
	return 0x160
}

// FuzzProgram links generated programs. The links satisfy checkLink. If CULINK_ORACLE names a toolkit, its nvlink must have
// the same result.
func FuzzProgram(f *testing.F) {
	for _, seed := range programSeeds() {
		f.Add(seed)
	}
	oracle, err := tools.Oracle()
	if err != nil && !errors.Is(err, tools.ErrNoOracle) {
		f.Fatal(err)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, data []byte) { checkProgram(t, dir, data, oracle) })
}

// nvlink has the same result for generated programs: the same class of outcome, messages and bytes.
func TestLivePrograms(t *testing.T) {
	oracle, dir := toolstest.Oracle(t), t.TempDir()
	for _, seed := range programSeeds() {
		checkProgram(t, dir, seed, oracle)
	}
}

func programSeeds() [][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	seeds := make([][]byte, 40)
	for i := range seeds {
		seeds[i] = make([]byte, 20+random.IntN(180))
		for k := range seeds[i] {
			seeds[i][k] = byte(random.Uint32())
		}
	}
	return seeds
}

// checkProgram links a generated program, and compares the result with that of the nvlink in oracle, unless that is "".
func checkProgram(t *testing.T, dir string, data []byte, oracle string) {
	target, texts := makeProgram(data)
	var files []quick.File
	var inputs [][]byte
	for i, text := range texts {
		built, err := cubintext.Parse("program", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		files = append(files, quick.File{Name: fmt.Sprintf("%d.cubin", i), Data: built})
		inputs = append(inputs, built)
	}
	for _, mode := range []linker.Options{{}, {Relocatable: true}} {
		if _, err := checkLink(mode, inputs...); err != nil {
			t.Fatalf("%v\n%s", err, strings.Join(texts, "\n"))
		}
	}
	if oracle == "" {
		return
	}
	ours, err := quick.Link(t.Context(), dir, target, files...)
	if err != nil {
		t.Fatal(err)
	}
	theirs := linkLive(t, oracle, target, files)
	switch {
	case theirs.Killed != "" || theirs.Exit > 128 && theirs.Exit < 255: // nvlink hung or crashed, so any result is accepted
	case theirs.Exit != ours.Exit || string(theirs.Stderr) != ours.Stderr:
		t.Fatalf("nvlink: %d %q\nculink: %d %q\n%s", theirs.Exit, theirs.Stderr, ours.Exit, ours.Stderr, strings.Join(texts, "\n"))
	case ours.Exit == 0 && !bytes.Equal(theirs.Files["out.cubin"], ours.Output):
		t.Fatalf("other bytes than nvlink's of\n%s", strings.Join(texts, "\n"))
	}
}
