package advice

import (
	"fmt"

	"github.com/culink/culink/linker/cubin"
)

// Inputs that do not fit each other, or the release of the linker.

// newer answers that an input is of a later release than the linker.
func (a *Adviser) newer(args []any) []Fact {
	made, link := release(args[1]), release(args[2])
	return []Fact{
		{"made by", fmt.Sprintf("%v: a compiler of CUDA %s; the link is that of CUDA %s", args[0], made, link)},
		{"try", fmt.Sprintf("link as CUDA %[1]s or later does (culink --toolkit %[1]s, or CULINK_TOOLKIT=%[1]s), or compile it with CUDA %[2]s", made, link)},
	}
}

// release is the name of a release by its number, "13.0" of 130.
func release(number any) string {
	const tens = 10
	switch n := number.(type) {
	case int32:
		return fmt.Sprintf("%d.%d", n/tens, n%tens)
	case uint32:
		return fmt.Sprintf("%d.%d", n/tens, n%tens)
	}
	return fmt.Sprint(number)
}

// uncompressed answers that an entry of a fat binary cannot be unpacked.
func (a *Adviser) uncompressed([]any) []Fact {
	return []Fact{{"try", "if a later toolkit made the file, link as that toolkit does (--toolkit, CULINK_TOOLKIT): it may pack code in a newer way; else the file is damaged, build it again"}}
}

// declarations says what each input says of a symbol whose size, memory or kind differs.
func (a *Adviser) declarations(args []any) (facts []Fact) {
	name := fmt.Sprint(args[0])
	if source := a.variable(name); source != name {
		facts = append(facts, Fact{"means", source})
	}
	for _, o := range a.objects() {
		for _, y := range o.symbols {
			if y.Name != name || y.Bind == cubin.BindLocal {
				continue
			}
			topic := "declared"
			if y.Defined() {
				topic = "defined"
			}
			facts = append(facts, Fact{topic, fmt.Sprintf("in %s: %s", o.name, o.kind(y))})
		}
	}
	if len(facts) > mostPlacesTold {
		facts = append(facts[:mostPlacesTold], Fact{"declared", "in further files"})
	}
	return append(facts, Fact{"try", "declare it in one header that all files include, with the same type, size and __device__, __constant__, __shared__, __managed__ or __global__, and compile these files again"})
}

// mostPlacesTold is how many places of a symbol an answer lists.
const mostPlacesTold = 8

var handles = map[cubin.SymbolType]string{cubin.SymTexture: "a texture", cubin.SymSampler: "a sampler", cubin.SymSurface: "a surface"}

// kind says what a symbol is: a kernel, a function, or a variable with its memory and size.
func (o *object) kind(y cubin.Symbol) string {
	switch {
	case y.Type == cubin.SymFunc && y.IsEntry():
		return "a kernel"
	case y.Type == cubin.SymFunc:
		return "a function"
	}
	if handle := handles[y.Type]; handle != "" {
		return handle
	}
	memory := map[cubin.Space]string{cubin.OtherShared: "shared", cubin.OtherConstant: "constant"}[y.Space()]
	if memory == "" {
		memory = "global"
	}
	if y.Other&cubin.OtherManaged != 0 {
		memory = "managed"
	}
	return fmt.Sprintf("%d bytes of %s memory", y.Size, memory)
}
