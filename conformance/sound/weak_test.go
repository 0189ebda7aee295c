package sound_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubintext"
)

// If a linker chooses another definition of a weak function than the prevailing one, the finding names both inputs
// (MERGE-028).
func TestOtherWeakCopy(t *testing.T) {
	const dir = "weak/first-wins/sm_80/in/" // copies with one code, and debug information
	read := func(name string) []byte {
		data, err := corpus.Files.ReadFile(dir + name)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, c := range []struct {
		first, second string
		data          [2][]byte
	}{
		{"a.cubin", "b.cubin", [2][]byte{read("a.cubin"), read("b.cubin")}},
		{"b.cubin", "a.cubin", [2][]byte{read("b.cubin"), read("a.cubin")}},
		{"x.cubin", "y.cubin", [2][]byte{withWeak(t, "k", 1), withWeak(t, "m", 2)}}, // each with a code of its own
	} {
		inputs := []linker.Input{{Name: c.first, Data: c.data[0]}, {Name: c.second, Data: c.data[1]}}
		swapped := linker.Link(t.Context(), linker.Options{Arch: "sm_80"}, []linker.Input{inputs[1], inputs[0]})
		if swapped.Err() != nil {
			t.Fatal(swapped.Err())
		}
		target, _ := arch.Parse("sm_80")
		link := sound.Link{Target: target}
		for _, in := range inputs {
			link.Inputs = append(link.Inputs, sound.Input{Name: in.Name, Data: in.Data})
		}
		var texts []string
		for _, f := range sound.Check(link, swapped.Output) {
			texts = append(texts, f.String())
		}
		got := strings.Join(texts, "\n")
		if want := "the copy of " + c.first + ", which has to win, got that of " + c.second; !strings.Contains(got, want) {
			t.Errorf("%s first: no %q in\n%s", c.first, want, got)
		}
	}
}

// withWeak returns a cubin with a kernel that calls a weak function. code selects the body of the weak function.
func withWeak(t *testing.T, kernel string, code int) []byte {
	text := fmt.Sprintf(`cutext 1
header sm=80
section .shstrtab
section .strtab
section .symtab
	symbol .text.%[1]s
	symbol .text.f
	symbol %[1]s global func .text.%[1]s other=entry
	symbol f weak func .text.f
section .note.nv.cuinfo
	cuinfo
section .nv.info
	attr REGCOUNT @%[1]s 8
	attr REGCOUNT @f 8
section .nv.callgraph
	calls direct
	edge %[1]s f
section .rela.text.%[1]s
	rel 0 R_CUDA_ABS47_34 f
section .text.%[1]s regs=8
	u64 0x0000000000007918 0x000fc00000000000
	u64 0x000000000000794d 0x000fea0003800000
section .text.f regs=8
	u64 0x000000000000%[2]x918 0x000fc00000000000
	u64 0x0000000002007950 0x000fea0003e00000
`, kernel, code)
	data, err := cubintext.Parse(kernel, text)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
