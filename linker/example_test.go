package linker_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/input"
)

// These are two small files like those of a compiler, in the text form of package cubintext. Kernel k calls
// function f of the other file.
const (
	caller = `cutext 1
header sm=80
section .shstrtab
section .strtab
section .symtab
	symbol .text.k
	symbol k global func .text.k other=entry
	symbol f global func undef
section .note.nv.cuinfo
	cuinfo
section .nv.info
	attr REGCOUNT @k 8
section .nv.callgraph
	calls direct
	edge k f
	calls taken
	calls indirect
	calls references
section .text.k regs=8
	u64 0x000000000000794d 0x000fea0003800000
`
	callee = `cutext 1
header sm=80
section .shstrtab
section .strtab
section .symtab
	symbol .text.f
	symbol f global func .text.f
section .note.nv.cuinfo
	cuinfo
section .nv.info
	attr REGCOUNT @f 20
section .text.f regs=20
	u64 0x0000000002007950 0x000fea0003e00000
`
)

// build makes an input from its text.
func build(name, text string) linker.Input {
	data, err := cubintext.Parse(name, text)
	if err != nil {
		log.Fatal(err)
	}
	return linker.Input{Name: name, Data: data}
}

func ExampleLink() {
	result := linker.Link(context.Background(), linker.Options{Arch: "sm_80"},
		[]linker.Input{build("k.cubin", caller), build("f.cubin", callee)})
	if err := result.Err(); err != nil {
		log.Fatal(err)
	}
	linked, err := cubin.Open("out.cubin", result.Output)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("executable", linked.Type == cubin.TypeExecutable)
	fmt.Println(linked.Section(".text.k") != nil, linked.Section(".text.f") != nil)
	// Output:
	// executable true
	// true true
}

// In this example a link fails. It has no output, and its log has every message as a value.
func ExampleResult_Err() {
	result := linker.Link(context.Background(), linker.Options{Arch: "sm_80"},
		[]linker.Input{build("k.cubin", caller)})
	fmt.Println("output", result.Output != nil)
	fmt.Println("error", result.Err())
	for _, d := range result.Log.Diagnostics {
		fmt.Printf("%v in the phase %v: %s\n", d.Severity, d.Phase(), d.Text())
	}
	fmt.Println("exit status", result.Log.ExitStatus())
	// Output:
	// output false
	// error error: Undefined reference to 'f' in 'k.cubin'
	// error in the phase undefined: Undefined reference to 'f' in 'k.cubin'
	// exit status 255
}

// LinkFiles links files of any kind, as the command does.
func ExampleLinkFiles() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	k, f := filepath.Join(dir, "k.cubin"), filepath.Join(dir, "f.cubin")
	for name, text := range map[string]string{k: caller, f: callee} {
		if err := os.WriteFile(name, build(name, text).Data, 0o666); err != nil {
			log.Fatal(err)
		}
	}
	result := linker.LinkFiles(context.Background(), linker.Options{Arch: "sm_80"}, k, f)
	fmt.Println("error", result.Err())

	// More options are possible: the folder of relative names, libraries, and the compiler for PTX.
	result = linker.LoadAndLink(context.Background(), linker.Options{Arch: "sm_80"}, input.Options{
		Folder: dir, Files: []string{"k.cubin"}, Libraries: []string{"f"}, SearchPaths: []string{dir},
		PTXAS: input.PTXAS{Path: "/usr/local/cuda/bin/ptxas"},
	})
	fmt.Println("error", result.Err())
	// Output:
	// error <nil>
	// error error: Undefined reference to 'f' in 'k.cubin'
}

// The map of a link shows what every kernel and input uses. If the link failed, the map has what was known by
// then.
func ExampleMap() {
	result := linker.Link(context.Background(), linker.Options{Arch: "sm_80", Map: true}, []linker.Input{build("k.cubin", caller), build("f.cubin", callee)})
	for _, k := range result.Map.Kernels {
		fmt.Println(result.Map.Functions[k.Function].Name, "needs registers:", k.Registers)
		fmt.Println("raised by", result.Map.Functions[k.RaisedBy].Name)
	}
	// Output:
	// k needs registers: 20
	// raised by f
}

// An explanation shows where a symbol is defined and which kernel reaches it.
func ExampleExplanation() {
	result := linker.Link(context.Background(), linker.Options{Arch: "sm_80", Explain: []string{"f"}}, []linker.Input{build("k.cubin", caller), build("f.cubin", callee)})
	for _, e := range result.Explanations {
		fmt.Println(e.Symbol, "is in", e.Definition.Input, "and reached from", e.Reach.Path[0].Name)
	}
	// Output: f is in f.cubin and reached from k
}

func ExampleProvidedByDriver() {
	fmt.Println(linker.ProvidedByDriver("malloc"), linker.ProvidedByDriver("f"))
	// Output: true false
}
