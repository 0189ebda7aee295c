package advice

import (
	"fmt"
	"path/filepath"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/inspect"
)

// This file has the answers about inputs that do not fit each other or the release of the linker.

// newer answers that a later release than the link's made an input.
func (a *Adviser) newer(args []any) []Fact {
	made, link := release(args[1]), release(args[2])
	return []Fact{
		{"made by", fmt.Sprintf("%v: a compiler of CUDA %s; the link is that of CUDA %s", args[0], made, link)},
		{"try", asRelease(made) + ", or compile it with CUDA " + link},
	}
}

// isTooNew reports whether the link rejects code of a release because it is too new.
func (a *Adviser) isTooNew(release string) bool { return a.TooNew != nil && a.TooNew(release) }

// asRelease explains how to link as a given release.
func asRelease(release string) string {
	return fmt.Sprintf("link as CUDA %[1]s or later does (culink --toolkit %[1]s, or CULINK_TOOLKIT=%[1]s)", release)
}

// release formats the number of a release. For 130 it returns "13.0".
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

// parts reads the files on the command line and those that -l finds, and calls visit for each.
func (a *Adviser) parts(visit func(file string, p *inspect.Part)) {
	if a.Open == nil {
		return
	}
	left := mostBytesRead
	for _, s := range a.searches("") {
		if !s.named {
			continue
		}
		data, err := a.Open(s.file)
		if left -= len(data); err == nil && left >= 0 {
			visit(s.file, inspect.Read(s.file, data))
		}
	}
}

// needsLTO lists the inputs that have only intermediate code for the target of the link.
func (a *Adviser) needsLTO() (facts []Fact) {
	a.parts(func(file string, p *inspect.Part) {
		var code string
		isMachine := false
		var visit func(p *inspect.Part)
		visit = func(p *inspect.Part) {
			if p.Kind == inspect.KindLTO {
				code = codeText(p)
			}
			isMachine = isMachine || p.Cubin != nil && p.Cubin.Target == a.Target
			for _, q := range p.Parts {
				visit(q)
			}
		}
		visit(p)
		if code != "" && !isMachine && len(facts) < mostNames {
			facts = append(facts, Fact{"holds", file + ": " + code})
		}
	})
	return append(facts, Fact{"try", "link with nvcc -dlto (nvlink -lto)" + a.orMachineCode()})
}

// bitcodeFiles lists the inputs named .bc, which culink does not read.
func (a *Adviser) bitcodeFiles([]any) (facts []Fact) {
	for _, name := range a.Files {
		if filepath.Ext(name) == ".bc" && len(facts) < mostNames {
			facts = append(facts, Fact{"named", name + ": culink reads no file of that suffix"})
		}
	}
	return append(facts, Fact{"try", "link what nvcc makes of its source: an object (-rdc=true -c) or, with -dlto, an .ltoir file (-ltoir)"})
}

// giveNVVMPath answers that a link with -lto needs the folder of the optimiser.
func (a *Adviser) giveNVVMPath([]any) []Fact {
	return []Fact{{"try", "link with nvcc -dlto, which gives it, or add -nvvmpath with the folder nvvm of the toolkit, which has " + a.Host.Or().OptimiserPaths[0]}}
}

// codeText describes intermediate code. Its target is known only if the code is part of a container, because the
// container names it.
func codeText(p *inspect.Part) string {
	if target := virtualName(p.Name); target != "" {
		return "intermediate code for " + target
	}
	return "intermediate code"
}

// packedLater answers that a later release packed code in a form that the release of the link does not know. It returns
// nil if no input has such code.
func (a *Adviser) packedLater() []Fact {
	holder, latest := "", &arch.Profile{}
	a.parts(func(file string, p *inspect.Part) {
		for q := range p.Cubins() {
			if made, err := arch.Find(q.Cubin.Toolkit); err == nil && q.Packed == "zstd" && a.isTooNew(q.Cubin.Toolkit) && made.API > latest.API {
				holder, latest = file, made
			}
		}
	})
	if holder == "" {
		return nil
	}
	release := latest.Short()
	return []Fact{{"holds", fmt.Sprintf("%s: code by CUDA %s, packed in a way that the release of the link does not know", holder, release)}, {"try", asRelease(release)}}
}

// uncompressed answers that an entry of a fat binary cannot be unpacked.
func (a *Adviser) uncompressed([]any) []Fact {
	if facts := a.packedLater(); facts != nil {
		return facts
	}
	return []Fact{{"try", "if a later toolkit made the file, link as that toolkit does (--toolkit, CULINK_TOOLKIT): it may pack code in a newer way; else the file is damaged, build it again"}}
}

// otherSize answers that the link needs code for 64-bit addresses or, with -m32, for 32-bit addresses. Releases before
// 12.4 also print this message for code that a later release packed.
func (a *Adviser) otherSize(args []any) []Fact {
	if len(args) > 1 && args[1] == "-m32" { // KIT-623
		return []Fact{{"holds", fmt.Sprintf("%v: code for 64-bit addresses", args[0])}, {"try", "link it with -m64"}}
	}
	if facts := a.packedLater(); facts != nil {
		return facts
	}
	return []Fact{{"holds", fmt.Sprintf("%v: code that is not for 64-bit addresses", args[0])}, {"try", "compile it with -m64"}}
}

// declarations lists the inputs that declare a symbol with a different size, memory space or kind, with their
// declarations.
func (a *Adviser) declarations(args []any) (facts []Fact) {
	name := fmt.Sprint(args[0])
	if source := a.variable(name); source != name {
		facts = append(facts, Fact{"means", source})
	}
	isNamed := func(y cubin.Symbol) bool { // DIAG-106.2
		return y.Name == name || y.Type == cubin.SymFunc && a.source(y.Name) == name
	}
	for _, o := range a.objects() {
		for _, y := range o.symbols {
			if !isNamed(y) || y.Bind == cubin.BindLocal {
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

// mostPlacesTold is the maximum number of declarations of a symbol in an answer.
const mostPlacesTold = 8

var handles = map[cubin.SymbolType]string{cubin.SymTexture: "a texture", cubin.SymSampler: "a sampler", cubin.SymSurface: "a surface"}

// kind describes a symbol: a kernel, a function, or a variable with its memory space and size.
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
