// Package programtest builds small programs for the tests of the phases. They consist of kernels, functions
// and variables as the merge would leave them, and one call creates each of these.
//
// A builder creates only what its call describes. A test sets further fields in the result of the call.
package programtest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/nvinfo"
)

// A Program is extended by each call.
type Program struct{ *program.Program }

// New starts a program. The target is sm_80 unless opt has another one.
func New(t testing.TB, opt program.Options) *Program {
	t.Helper()
	if opt.Arch == "" {
		opt.Arch = "sm_80"
	}
	target, ok := arch.Parse(opt.Arch)
	if !ok {
		t.Fatalf("%s is no target", opt.Arch)
	}
	return &Program{program.New(&opt, target)}
}

// CodeSize is the size of a function's code.
const CodeSize = 32

// Kernel adds a kernel that in.cubin defines, with sections for its attributes and its shared memory.
func (p *Program) Kernel(name string) *program.Function {
	f := p.Device(name)
	f.Entry = true
	f.Symbol.Other, f.Symbol.Input = cubin.OtherEntry, cubin.OtherEntry
	f.Shared = p.AddSection(&program.Section{
		Side: program.Side{
			Name: cubin.EntrySharedPrefix + name, Type: cubin.SectionShared,
			Flags: cubin.FlagInfoLink | cubin.FlagAlloc | cubin.FlagWrite, Align: 1,
		},
		Bank: program.NoBank, Fn: f, Target: f.Text, Group: program.GroupNoBits, NoBits: true,
	})
	f.Bind(f.Shared)
	return f
}

// Device adds a function that in.cubin defines, with a section for its attributes.
func (p *Program) Device(name string) *program.Function {
	f := p.Undefined(name)
	f.Text = &program.Section{
		Side: program.Side{Name: cubin.CodePrefix + name, Type: cubin.SectionProgBits, Flags: cubin.FlagAlloc | cubin.FlagExec, Align: 128},
		Bank: program.NoBank, Fn: f, Group: program.GroupText, State: program.Kept, Linked: true,
	}
	Fill(f.Text, make([]byte, CodeSize))
	f.Symbol.Section, f.Symbol.Size, f.Symbol.DefinedIn = f.Text, CodeSize, "in.cubin"
	f.MadeFor, f.RegInfo = p.Target.Number, 8
	p.AddSection(f.Text)
	f.InfoSec = p.AddSection(&program.Section{
		Side: program.Side{Name: ".nv.info." + name, Type: cubin.SectionInfo, Flags: cubin.FlagInfoLink, Align: 4},
		Bank: program.NoBank, Fn: f, Target: f.Text, Group: program.GroupInfo, Linked: true,
	})
	return f
}

// Undefined adds an undefined function that in.cubin refers to.
func (p *Program) Undefined(name string) *program.Function {
	y := p.Global(program.Symbol{Name: name, Bind: cubin.BindGlobal, Type: cubin.SymFunc, Mentioned: "in.cubin"})
	y.Fn = &program.Function{Symbol: y, Order: len(p.Functions), InfoOrder: len(p.Functions)}
	p.Functions = append(p.Functions, y.Fn)
	return y.Fn
}

// Call adds direct calls from from to each function.
func (p *Program) Call(from *program.Function, to ...*program.Function) {
	for _, f := range to {
		from.Calls.Push(f)
	}
}

// Take records that the address of f is taken with a prototype.
func (p *Program) Take(f *program.Function, prototype string) {
	f.IsTaken, f.TakenAs, f.Prototype = true, &prototype, &prototype
}

// Global adds a global symbol.
func (p *Program) Global(y program.Symbol) *program.Symbol {
	y.Bind = cubin.BindGlobal
	made := p.NewSymbol(y)
	p.Globals = append(p.Globals, made)
	p.Symbols[y.Name] = made
	return made
}

// Local adds a local symbol.
func (p *Program) Local(y program.Symbol) *program.Symbol {
	made := p.NewSymbol(y)
	p.Locals = append(p.Locals, made)
	return made
}

// Data adds a section of the module with contents.
func (p *Program) Data(name string, typ cubin.SectionType, data []byte) *program.Section {
	s := p.AddSection(&program.Section{
		Side: program.Side{Name: name, Type: typ, Flags: cubin.FlagAlloc, Align: 4},
		Bank: program.NoBank, Group: program.GroupConstant, State: program.Kept,
	})
	switch {
	case typ >= cubin.SectionConstant0 && typ <= cubin.SectionConstantLast:
		s.Bank = int(typ - cubin.SectionConstant0)
	case typ == cubin.SectionGlobalInit:
		s.Flags, s.Group = cubin.FlagAlloc|cubin.FlagWrite, program.GroupGlobalInit
	case typ == cubin.SectionProgBits:
		s.Flags, s.Group = 0, program.GroupDebug
	}
	Fill(s, data)
	p.ByName[name] = s
	return s
}

// Bank adds a constant bank of f. Bank 0 has its parameters, bank 2 its compiler-generated constants.
func (p *Program) Bank(f *program.Function, bank int, data []byte) *program.Section {
	s := p.AddSection(&program.Section{
		Side: program.Side{
			Name: fmt.Sprintf("%s%d.%s", cubin.ConstantPrefix, bank, f.Symbol.Name), Type: cubin.SectionConstant0 + cubin.SectionType(bank),
			Flags: cubin.FlagInfoLink | cubin.FlagAlloc, Align: 4,
		},
		Bank: bank, Fn: f, Target: f.Text, Group: program.GroupConstant, State: program.Kept,
	})
	Fill(s, data)
	f.Bind(s)
	return s
}

// Fill appends data of in.cubin to a section.
func Fill(s *program.Section, data []byte) {
	s.Add(program.Piece{Origin: "in.cubin", Offset: s.Size, Size: uint64(len(data)), Align: max(s.Align, 1), Data: data})
	s.Size += uint64(len(data))
}

// Variable adds a global variable in a section.
func (p *Program) Variable(name string, s *program.Section, value, size uint64) *program.Symbol {
	return p.Global(program.Symbol{Name: name, Type: cubin.SymObject, Section: s, Value: value, Size: size, DefinedIn: "in.cubin", Mentioned: "in.cubin"})
}

// Shared adds a shared variable outside of kernels.
func (p *Program) Shared(name string, size, align uint64) *program.SharedObject {
	o := p.shared(name, size, align)
	o.Section = p.moduleShared()
	o.Symbol.Section = o.Section
	o.Section.Align, o.Section.State = max(o.Section.Align, align), program.Kept
	o.Section.Size += size
	p.SharedObjects = append(p.SharedObjects, o)
	return o
}

// ExternShared adds an extern __shared__ array.
func (p *Program) ExternShared(name string) *program.SharedObject {
	o := p.shared(name, 0, 16)
	o.Extern = true
	o.Symbol.Section = p.moduleShared()
	return o
}

// OwnShared adds a shared variable of a kernel.
func (p *Program) OwnShared(f *program.Function, name string, size, align uint64) *program.SharedObject {
	o := p.shared(name, size, align)
	o.Owner, o.Section, o.Symbol.Section = f, f.Shared, f.Shared
	f.Shared.State = program.Kept
	f.SharedLocals = append(f.SharedLocals, o)
	return o
}

func (p *Program) shared(name string, size, align uint64) *program.SharedObject {
	y := p.Global(program.Symbol{
		Name: name, Type: cubin.SymObject, Size: size, Input: cubin.OtherShared, Mentioned: "in.cubin",
		Hidden: !p.Options.DebugSymbols(), Unnamed: !p.Options.DebugSymbols(),
	})
	if size > 0 {
		y.DefinedIn = "in.cubin"
	}
	y.Shared = &program.SharedObject{Symbol: y, Size: size, Align: align}
	p.SharedInOrder = append(p.SharedInOrder, y.Shared)
	return y.Shared
}

func (p *Program) moduleShared() *program.Section {
	if s := p.ByName[cubin.ModuleSharedName]; s != nil {
		return s
	}
	s := p.AddSection(&program.Section{
		Side: program.Side{Name: cubin.ModuleSharedName, Type: cubin.SectionShared, Flags: cubin.FlagAlloc | cubin.FlagWrite, Align: 1},
		Bank: program.NoBank, Group: program.GroupNoBits, NoBits: true,
	})
	p.ByName[cubin.ModuleSharedName] = s
	return s
}

// Use makes the code of f refer to shared variables.
func (p *Program) Use(f *program.Function, objects ...*program.SharedObject) {
	for _, o := range objects {
		p.UseShared(f, o.Symbol)
	}
}

// Handle adds a texture, sampler or surface. The host program binds it when it loads the file.
func (p *Program) Handle(name string, typ cubin.SymbolType) *program.Symbol {
	y := p.Global(program.Symbol{Name: name, Type: typ})
	p.Handles = append(p.Handles, y)
	return y
}

// Attribute adds a record to the attributes of f.
func (p *Program) Attribute(f *program.Function, r nvinfo.Record) {
	f.Attributes.Push([]nvinfo.Record{r}, nil)
}

// About adds a record about f to .nv.info. Its value is word 1.
func (p *Program) About(f *program.Function, code nvinfo.Code, word uint32) {
	p.Attributes.Push(&program.Attribute{Record: nvinfo.New(code, 1, word), SymbolOf: []*program.Symbol{nil, f.Symbol}, Owner: f})
}

// Finish adds the sections that merge adds last.
func (p *Program) Finish() *program.Program {
	p.Std.CallGraph = p.AddStandard(".nv.callgraph", cubin.SectionCallGraph, 0, 4, 8, program.GroupInfo)
	p.Std.CallGraph.Linked = true
	p.Std.Prototype = p.AddStandard(".nv.prototype", cubin.SectionPrototype, 0, 4, 8, program.GroupInfo)
	p.Std.Prototype.Linked = true
	return p.Program
}

// Names returns the names of functions, in order.
func Names(functions []*program.Function) string {
	names := make([]string, 0, len(functions))
	for _, f := range functions {
		names = append(names, f.Symbol.Name)
	}
	return strings.Join(names, " ")
}

// Said returns the messages of a log as lines.
func Said(log *diag.Log) string {
	lines := make([]string, 0, len(log.Diagnostics))
	for _, d := range log.Diagnostics {
		lines = append(lines, d.Text())
	}
	return strings.Join(lines, "\n")
}
