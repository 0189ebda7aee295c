// Package advice explains errors that users search for, such as an undefined reference or a kernel with too much shared
// memory. An answer lists, for example, the functions that refer to the symbol, similar names, or the largest variables.
// It is computed from the inputs after the link, and does not change the link (DIAG-502).
package advice

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/edgname"
	"github.com/culink/culink/linker/inspect"
	"github.com/culink/culink/linker/platform"
)

// A Fact is one line of an answer.
type Fact struct {
	Topic string `json:"topic"` // "named by", "near", "try"
	Text  string `json:"text"`
}

// Write prints facts below a message, one on each line. It replaces unprintable characters, because the names of inputs
// may contain terminal control sequences.
func Write(w io.Writer, facts []Fact) error {
	var b strings.Builder
	for _, f := range facts {
		fmt.Fprintf(&b, "  %-9s %s\n", f.Topic, strings.Map(printable, f.Text))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return '?'
	}
	return r
}

// An Object is an input of the link.
type Object struct {
	Name string // the name in messages
	Data []byte
}

// An Adviser answers the messages of one link.
type Adviser struct {
	Objects  []Object // the inputs that were loaded, even if the link failed later
	Demangle func(string) string
	// Files lists the inputs on the command line. Libraries returns archives that are not on the command line but could be.
	// Both may define a missing symbol.
	Files     []string
	Libraries func() []string
	// Named returns the libraries that -l names.
	Named   func() []Library
	Toolkit *arch.Profile // the release of the link
	// Target is the target of the link, such as "sm_90". Accepts reports whether the link accepts relocatable code for
	// another target. If Accepts is nil, the link accepts all targets.
	Target  string
	Accepts func(target string) bool
	// Compiles reports whether the link can compile PTX for a virtual target, such as "compute_80". If Compiles is nil, it
	// compiles none.
	Compiles func(target string) bool
	// Host is the system whose nvlink culink emulates. If it is nil, this is the running system.
	Host *platform.Platform
	// TooNew reports whether the link rejects code of a release, such as "13.0", because it is newer. If TooNew is nil, the
	// link rejects none.
	TooNew func(release string) bool
	// Typed is set if the caller of the link states the type of each input, so that the names of files do not matter.
	Typed bool
	// LTO is set if the link compiles intermediate code.
	LTO bool
	// Registers is set if the link omits modules that nvcc -dlink has already linked (LOAD-045).
	Registers bool
	// Open reads a file of Files or Libraries that was not loaded.
	Open func(name string) ([]byte, error)

	// Options returns the spellings of all options, such as "-o" and "--output-file". Values returns the values that an
	// option allows, or nil if it allows any. The name is that of the message, such as "cpu-arch".
	Options func() []string
	Values  func(option string) []string

	read     []*object       // contents of Objects, read when first needed
	skipped  map[string]bool // files that -l passed over
	linked   map[string]linkedBy
	answered int
}

// ForTarget returns an Adviser for links by release p for a target such as "sm_90". It has no inputs yet.
func ForTarget(p *arch.Profile, target string) *Adviser {
	link, known := p.Parse(target)
	return &Adviser{
		Demangle: edgname.Demangle, Toolkit: p, Target: target,
		Accepts: func(name string) bool {
			code, ok := p.Parse(name)
			return known && ok && link.Accepts(code.Number, code.Suffix) && (link.Number < arch.MinCompat || link.Number == code.Number || code.Suffix == 'f')
		},
		Compiles: func(name string) bool {
			code, ok := p.Parse(strings.Replace(name, "compute_", "sm_", 1))
			return known && ok && link.AcceptsPTX(code.Number, code.Suffix)
		},
		TooNew: func(release string) bool {
			const minors = 10 // 13.1 is 131
			made, err := arch.Find(release)
			return err == nil && made.API > p.API && (link.Mercury() || made.API/minors > p.API/minors)
		},
	}
}

// mostAnswers limits the work for a link with a thousand messages.
const mostAnswers = 16

// On returns the answer to a message. It returns nil if there is no answer or the Adviser is nil.
func (a *Adviser) On(d diag.Diagnostic) []Fact {
	if a == nil {
		return nil
	}
	answer := map[diag.ID]func(*Adviser, []any) []Fact{
		diag.UndefinedReference:    (*Adviser).undefined,
		diag.MultipleDefinition:    (*Adviser).definedTwice,
		diag.TooMuchShared:         (*Adviser).tooMuchShared,
		diag.TooMuchGlobalConstant: (*Adviser).tooMuchConstant,
		diag.StackUnknown:          (*Adviser).unknownStack,
		diag.ArchMismatch:          (*Adviser).otherTarget,
		diag.NewerThanToolkit:      (*Adviser).newer,
		diag.UncompressFailed:      (*Adviser).uncompressed,
		diag.SizeOfTargetMismatch:  (*Adviser).otherSize,
		diag.ValueNotDefined:       (*Adviser).undefinedValue,
		diag.SizeMismatch:          (*Adviser).declarations,
		diag.SpaceMismatch:         (*Adviser).declarations,
		diag.NotDeclaredGlobal:     (*Adviser).declarations,
		diag.PrototypeMismatch:     (*Adviser).prototypes,
		diag.LTOObjects:            func(a *Adviser, _ []any) []Fact { return a.needsLTO() },
		diag.NVVMWithoutLTO:        func(a *Adviser, _ []any) []Fact { return a.needsLTO() },
		diag.BitcodeFile:           (*Adviser).bitcodeFiles,
		diag.BitcodeWithoutLTO:     (*Adviser).bitcodeFiles,
		diag.NVVMPathMissing:       (*Adviser).giveNVVMPath,
		diag.OptimiserLoadError:    (*Adviser).giveNVVMPath,
		diag.ManagedMismatch:       (*Adviser).declarations,
		diag.CommonLargerThanInit:  (*Adviser).declarations,
		diag.SkippingIncompatible:  (*Adviser).skippedLibrary,
		diag.MaxRegCount:           (*Adviser).registerLimit,
		diag.TooMuchOCGConstant:    (*Adviser).compilerConstants,
		diag.InternalError:         (*Adviser).internalError,
		diag.NoDeviceRuntime:       func(*Adviser, []any) []Fact { return []Fact{linkDeviceRuntime} },
		diag.UnknownOption:         (*Adviser).unknownOption,
		diag.InputPassedOver:       (*Adviser).passedOver,
		diag.ArrayWithoutPlace:     (*Adviser).withoutPlace,
		diag.LibraryUnused:         (*Adviser).unusedLibrary,
		diag.KernelNotFound:        func(a *Adviser, _ []any) []Fact { return a.kernelNames() },
		diag.PTXASSaid:             (*Adviser).unresolved,
		diag.ArchNotFound:          func(a *Adviser, args []any) []Fact { return a.otherTarget(args[1:]) },
		diag.UnknownArch:           func(a *Adviser, _ []any) []Fact { return a.withoutTarget() },
		diag.NotELF:                func(a *Adviser, _ []any) []Fact { return a.misnamed(".cubin", inspect.KindCubin) },
		diag.NotDeviceELF:          func(a *Adviser, _ []any) []Fact { return a.misnamed(".cubin", inspect.KindCubin) },
		diag.FatbinFormat:          func(a *Adviser, _ []any) []Fact { return a.misnamed(".fatbin", inspect.KindFatbin) },
		diag.UnknownBinaryFormat:   func(a *Adviser, _ []any) []Fact { return a.misnamed(".ptx", inspect.KindPTX) },
		diag.WeakParameterBankSize: (*Adviser).parameterBanks,
		diag.LargeParameters:       func(a *Adviser, _ []any) []Fact { return a.madeBefore(largeParameters) },
		diag.NewerThanOption:       (*Adviser).newerThanOption,
		diag.SpecificBesideOther:   func(a *Adviser, _ []any) []Fact { return a.specificCode() },
		diag.APIVersionMajor:       func(a *Adviser, _ []any) []Fact { return a.apiVersion() },
	}[d.ID]
	if a.answered == mostAnswers {
		return nil
	}
	if remedy, ok := remedies[d.ID]; ok {
		a.answered++
		return []Fact{{"try", remedy}}
	}
	if answer == nil {
		return nil
	}
	a.answered++
	return answer(a, d.Args)
}

// source returns a name as spelled in the source.
func (a *Adviser) source(name string) string {
	if a.Demangle == nil {
		return name
	}
	return a.Demangle(name)
}

// An object is an input with its indexed symbols.
type object struct {
	name      string
	file      *cubin.File
	symbols   []cubin.Symbol
	functions map[uint32]string         // functions by section of their code
	variables map[uint32][]cubin.Symbol // variables by section, sorted by offset
	uses      map[string][]user         // users by symbol, found when first needed
	lines     []place                   // the line table, likewise
}

// objects returns the inputs that can be read.
func (a *Adviser) objects() []*object {
	if a.read != nil {
		return a.read
	}
	a.read = []*object{}
	for _, in := range a.Objects {
		f, err := cubin.Open(in.Name, in.Data)
		if err != nil {
			continue
		}
		symbols, err := f.Symbols()
		if err != nil {
			continue
		}
		o := &object{name: in.Name, file: f, symbols: symbols, functions: map[uint32]string{}, variables: map[uint32][]cubin.Symbol{}}
		for _, y := range symbols {
			switch {
			case y.Type == cubin.SymFunc && y.Defined():
				o.functions[y.Section] = y.Name
			case y.Type == cubin.SymData && y.Defined():
				o.variables[y.Section] = append(o.variables[y.Section], y)
			}
		}
		for _, list := range o.variables {
			slices.SortFunc(list, func(x, y cubin.Symbol) int { return cmp.Compare(x.Value, y.Value) })
		}
		a.read = append(a.read, o)
	}
	return a.read
}

// A user is code or data that refers to a symbol.
type user struct {
	name string // function, variable, or else section
	line string // source line of the first reference; empty if unknown
}

// users returns the users of a symbol in an object.
func (o *object) users(name string) []user {
	if o.uses != nil {
		return o.uses[name]
	}
	o.uses = map[string][]user{}
	type pair struct {
		symbol uint32
		user   string
	}
	seen := map[pair]bool{}
	for i := range o.file.Sections {
		s := &o.file.Sections[i]
		if !s.Type.IsRelocation() || int(s.Info) >= len(o.file.Sections) || isSecondary(o.file.Sections[s.Info].Name) {
			continue
		}
		relocations, err := o.file.Relocations(uint32(i))
		if err != nil {
			continue
		}
		for _, r := range relocations {
			by := user{o.owner(s.Info, r.Offset), o.line(s.Info, r.Offset)}
			if int(r.Symbol) >= len(o.symbols) || seen[pair{r.Symbol, by.name}] {
				continue
			}
			seen[pair{r.Symbol, by.name}] = true
			named := o.symbols[r.Symbol].Name
			o.uses[named] = append(o.uses[named], by)
		}
	}
	return o.uses[name]
}

// isSecondary reports whether the references of a section repeat those of code or data. This is so for debug information
// and the Mercury half.
func isSecondary(section string) bool {
	return strings.Contains(section, ".debug") || strings.HasPrefix(section, ".nv.merc") || strings.HasPrefix(section, ".nv.capmerc")
}

// owner returns the function or variable at an offset in a section, or the section if there is none.
func (o *object) owner(section uint32, offset uint64) string {
	if fn := o.functions[section]; fn != "" {
		return fn
	}
	list := o.variables[section]
	i, found := slices.BinarySearchFunc(list, offset, func(y cubin.Symbol, at uint64) int { return cmp.Compare(y.Value, at) })
	if !found {
		i--
	}
	if i >= 0 && offset-list[i].Value < list[i].Size {
		return list[i].Name
	}
	name := o.file.Sections[section].Name
	return strings.TrimPrefix(name, cubin.CompilerConstantPrefix)
}

// deviceRuntime is the prefix of the functions with which kernels launch kernels.
const deviceRuntime = "__cudaCDP2"

var linkDeviceRuntime = Fact{"try", "link the device runtime: -lcudadevrt, with -L and the folder of the toolkit's libraries"}

// mostNames is the maximum number of names in a fact.
const mostNames = 4

// undefined lists the code and data that refer to an undefined symbol, and similar symbols.
func (a *Adviser) undefined(args []any) (facts []Fact) {
	name := fmt.Sprint(args[0])
	if source := a.source(name); source != name {
		facts = append(facts, Fact{"means", source})
	}
	isFunction := len(args) > 1 && args[1] == "function"
	for _, o := range a.objects() {
		for _, y := range o.symbols {
			isFunction = isFunction || y.Name == name && y.Type == cubin.SymFunc
		}
		if users := o.users(name); len(users) > 0 {
			facts = append(facts, Fact{"named by", fmt.Sprintf("%s in %s", a.list(users), o.name)})
		}
	}
	elsewhere := a.elsewhere(name)
	for _, d := range elsewhere[:min(len(elsewhere), mostNames)] {
		facts = append(facts, Fact{"defined", d.text()})
	}
	near := a.near(name, isFunction)
	for _, n := range near {
		facts = append(facts, Fact{"near", n})
	}
	what := "variable"
	if isFunction {
		what = "function"
	}
	try := fmt.Sprintf("link the file or library that defines this %s, compiled with -rdc=true", what)
	switch {
	case len(elsewhere) > 0:
		return append(facts, Fact{"try", a.try(elsewhere[0])})
	case strings.HasPrefix(name, deviceRuntime):
		return append(facts, linkDeviceRuntime)
	}
	facts = append(facts, a.missing()...)
	if len(near) > 0 {
		try = "declare and define the same name and parameters; or " + try
	}
	return append(facts, Fact{"try", try})
}

// unresolved answers that ptxas, which compiles a whole program, does not find a function or a variable. Other messages of
// ptxas have no answer.
func (a *Adviser) unresolved(args []any) []Fact {
	_, missing, _ := strings.Cut(fmt.Sprint(args[0]), ": Unresolved extern ")
	what, name, ok := strings.Cut(missing, " '")
	if !ok {
		return nil
	}
	name, _, _ = strings.Cut(name, "'")
	return a.undefined([]any{name, what})
}

// list returns the first few users, spelled as in the source.
func (a *Adviser) list(users []user) string {
	var out []string
	for _, u := range users[:min(len(users), mostNames)] {
		text := a.variable(u.name)
		if u.line != "" {
			text += " at " + u.line
		}
		out = append(out, text)
	}
	if more := len(users) - mostNames; more > 0 {
		out = append(out, fmt.Sprintf("%d more", more))
	}
	return strings.Join(out, ", ")
}

// mostCompared limits the work for one name.
const mostCompared = 10000

// near lists defined symbols with a similar name: equal except for the parameters, or a few
// letters apart.
func (a *Adviser) near(name string, isFunction bool) (out []string) {
	type candidate struct {
		distance int
		text     string
	}
	var found []candidate
	want := a.source(name)
	wantBase := base(want)
	seen := map[string]bool{name: true}
	for _, o := range a.objects() {
		for _, u := range o.users(name) {
			seen[u.name] = true // a user is not a candidate for the symbol it refers to
		}
		for _, y := range o.symbols {
			isSame := y.Type == cubin.SymFunc && isFunction && !y.IsEntry() || y.Type == cubin.SymData && !isFunction
			if seen[y.Name] || y.Name == "" || !y.Defined() || !isSame {
				continue
			}
			seen[y.Name] = true
			if len(seen) > mostCompared {
				break
			}
			source := a.source(y.Name)
			b := base(source)
			const far = 3 // at most one letter in three may differ
			if max(len(b)-len(wantBase), len(wantBase)-len(b))*far > len(wantBase) {
				continue
			}
			d := distance(wantBase, b)
			if d*far > len(wantBase) {
				continue
			}
			note := ""
			if y.Bind == cubin.BindLocal {
				note = ", which is static"
			}
			found = append(found, candidate{d, fmt.Sprintf("%s, defined in %s%s", source, o.name, note)})
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	for _, c := range found[:min(len(found), mostNames)] {
		out = append(out, c.text)
	}
	return out
}

// base returns a name without parameters and template arguments.
func base(name string) string {
	if i := strings.IndexAny(name, "(<"); i > 0 {
		name = name[:i]
	}
	return name[strings.LastIndexByte(name, ' ')+1:]
}

// mostLetters limits the work for a comparison of two names.
const mostLetters = 200

func distance(a, b string) int {
	return commandline.Distance(a[:min(len(a), mostLetters)], b[:min(len(b), mostLetters)])
}

// definedTwice describes the two definitions of a symbol.
func (a *Adviser) definedTwice(args []any) (facts []Fact) {
	name := fmt.Sprint(args[0])
	if source := a.source(name); source != name {
		facts = append(facts, Fact{"means", source})
	}
	// The message names the first file that refers to the symbol. That file may not define it.
	isFunction := false
	for _, o := range a.objects() {
		for _, y := range o.symbols {
			if y.Name != name || !y.Defined() || y.Bind == cubin.BindLocal || int(y.Section) >= len(o.file.Sections) || len(facts) > mostPlacesTold {
				continue
			}
			what := o.kind(y)
			if y.Type == cubin.SymFunc {
				isFunction = true
				what = fmt.Sprintf("%s, %d bytes of code", what, o.codeSize(y))
			}
			facts = append(facts, Fact{"defined", fmt.Sprintf("in %s: %s", o.name, what)})
		}
	}
	if file := fmt.Sprint(args[1]); a.isNamedTwice(file) {
		return append(facts, Fact{"because", file + " is an input more than once"}, Fact{"try", "name it once"})
	}
	if isFunction {
		return append(facts, Fact{"try", "define it in one file; in a header make it inline, a template, or static"})
	}
	return append(facts, Fact{"try", "define it in one file, and declare it extern in the others"})
}

// isNamedTwice reports whether a file occurs more than once among the inputs.
func (a *Adviser) isNamedTwice(name string) bool {
	times := 0
	for _, file := range a.Files {
		times += count(filepath.Clean(file) == filepath.Clean(name))
	}
	return times > 1
}

// isParameters reports whether a symbol stands for the parameters of a kernel. They have their own constant bank.
func (o *object) isParameters(y cubin.Symbol) bool {
	return int(y.Section) < len(o.file.Sections) && strings.HasPrefix(o.file.Sections[y.Section].Name, ".nv.constant0")
}

// codeSize returns the size of a function's section. The symbol has no size before the link.
func (o *object) codeSize(y cubin.Symbol) uint64 {
	if y.Type != cubin.SymFunc {
		return 0
	}
	return o.file.Sections[y.Section].Size
}

// A piece is a variable that contributes to a total size.
type piece struct {
	size uint64
	text string
}

// largest returns facts about the largest pieces.
func largest(pieces []piece) (facts []Fact) {
	slices.SortStableFunc(pieces, func(a, b piece) int { return cmp.Compare(b.size, a.size) })
	most := 8
	if len(pieces) == most+1 { // a line for the last one takes no more room than a line that counts it
		most++
	}
	for _, p := range pieces[:min(len(pieces), most)] {
		facts = append(facts, Fact{"uses", fmt.Sprintf("%d bytes: %s", p.size, p.text)})
	}
	if more := len(pieces) - most; more > 0 {
		facts = append(facts, Fact{"uses", fmt.Sprintf("and %d smaller ones", more)})
	}
	return facts
}

// tooMuchShared lists the shared variables of a kernel and of the functions that it calls.
func (a *Adviser) tooMuchShared(args []any) []Fact {
	kernel := fmt.Sprint(args[0])
	reached := a.reached(kernel)
	var pieces []piece
	for _, o := range a.objects() {
		for _, y := range o.symbols {
			if y.Type != cubin.SymData || y.Space() != cubin.OtherShared || y.Size == 0 {
				continue
			}
			var users []user
			for _, u := range o.users(y.Name) {
				if reached[u.name] {
					users = append(users, u)
				}
			}
			if len(users) > 0 {
				pieces = append(pieces, piece{y.Size, fmt.Sprintf("%s of %s, used by %s", a.variable(y.Name), o.name, a.list(users))})
			}
		}
	}
	facts := largest(pieces)
	return append(facts, Fact{"try", "make the largest smaller, share one variable between phases, or use an extern array and ask for its size at the launch (cudaFuncAttributeMaxDynamicSharedMemorySize)"})
}

// tooMuchConstant lists the largest __constant__ variables.
func (a *Adviser) tooMuchConstant([]any) []Fact {
	var pieces []piece
	for _, o := range a.objects() {
		for _, y := range o.symbols {
			if y.Type == cubin.SymData && y.Space() == cubin.OtherConstant && y.Defined() && y.Size > 0 && !o.isParameters(y) {
				pieces = append(pieces, piece{y.Size, fmt.Sprintf("%s of %s", a.variable(y.Name), o.name)})
			}
		}
	}
	return append(largest(pieces), Fact{"try", "move the largest to global memory, where const __restrict__ pointers are cached too"})
}

// staticPrefix begins the name of a static variable of a file. After it come the length of a unique part, the unique
// part, and the name, as in "__nv_static_21__b3b2321e_5_t1_cu_big_v".
const staticPrefix = "__nv_static_"

// variable returns the name of a variable as in the source. A static variable in a function has a symbol like
// "$___ZZ1fiE1v__12".
func (a *Adviser) variable(name string) string {
	if rest, ok := strings.CutPrefix(name, staticPrefix); ok {
		digits, rest, _ := strings.Cut(rest, "_")
		if n, err := strconv.Atoi(digits); err == nil && n >= 0 && n+1 < len(rest) {
			return a.source(rest[n+1:])
		}
	}
	if inner, ok := strings.CutPrefix(name, "$__"); ok {
		if i := strings.LastIndex(inner, "__"); i > 0 {
			return a.source(inner[:i])
		}
	}
	return a.source(name)
}

// calls returns the direct calls of all inputs, by the caller's name, and the functions that make
// indirect calls.
func (a *Adviser) calls() (direct map[string][]string, indirect map[string]bool) {
	direct, indirect = map[string][]string{}, map[string]bool{}
	for _, o := range a.objects() {
		s := o.file.Section(".nv.callgraph")
		if s == nil {
			continue
		}
		data, err := o.file.Data(s.Index)
		if err != nil {
			continue
		}
		word := func(i int) uint32 {
			return uint32(data[i]) | uint32(data[i+1])<<8 | uint32(data[i+2])<<16 | uint32(data[i+3])<<24
		}
		name := func(i uint32) string {
			if int(i) < len(o.symbols) {
				return o.symbols[i].Name
			}
			return ""
		}
		group := uint32(0)
		const record = 8
		for i := 0; i+record <= len(data); i += record {
			caller, callee := word(i), word(i+4)
			switch {
			case caller == 0 && cubin.IsCallGroup(callee):
				group = callee
			case group == cubin.CallsDirect:
				direct[name(caller)] = append(direct[name(caller)], name(callee))
			case group == cubin.CallsIndirect:
				indirect[name(caller)] = true
			}
		}
	}
	return direct, indirect
}

// reached returns the functions that a kernel reaches through direct calls, including the kernel.
func (a *Adviser) reached(kernel string) map[string]bool {
	direct, _ := a.calls()
	reached := map[string]bool{kernel: true}
	for list := []string{kernel}; len(list) > 0; {
		fn := list[len(list)-1]
		list = list[:len(list)-1]
		for _, callee := range direct[fn] {
			if !reached[callee] {
				reached[callee] = true
				list = append(list, callee)
			}
		}
	}
	return reached
}

// unknownStack explains why the stack of a kernel is unknown. It shows a cycle of calls, or a call through a pointer.
func (a *Adviser) unknownStack(args []any) (facts []Fact) {
	kernel := fmt.Sprint(args[0])
	direct, indirect := a.calls()
	cycle := cycleFrom(kernel, direct)
	if cycle != nil {
		for i, fn := range cycle {
			cycle[i] = a.source(fn)
		}
		facts = append(facts, Fact{"recursion", strings.Join(cycle, " -> ")})
	}
	for _, fn := range slices.Sorted(maps.Keys(a.reached(kernel))) {
		if indirect[fn] {
			facts = append(facts, Fact{"pointer", a.source(fn) + " calls through a pointer"})
		}
	}
	if len(facts) == 0 {
		return nil
	}
	return append(facts, Fact{"try", "set the stack with cudaDeviceSetLimit(cudaLimitStackSize, ...); -suppress-stack-size-warning hides the warning"})
}

// cycleFrom returns a cycle of calls that start reaches. The first function is repeated at the end.
func cycleFrom(start string, direct map[string][]string) []string {
	state := map[string]int{} // 1 on the path, 2 done
	type frame struct {
		fn   string
		next int
	}
	path := []frame{{fn: start}}
	state[start] = 1
	for len(path) > 0 {
		top := &path[len(path)-1]
		if top.next == len(direct[top.fn]) {
			state[top.fn] = 2
			path = path[:len(path)-1]
			continue
		}
		callee := direct[top.fn][top.next]
		top.next++
		switch state[callee] {
		case 0:
			state[callee] = 1
			path = append(path, frame{fn: callee})
		case 1:
			var cycle []string
			from := slices.IndexFunc(path, func(f frame) bool { return f.fn == callee })
			for _, f := range path[from:] {
				cycle = append(cycle, f.fn)
			}
			return append(cycle, callee)
		}
	}
	return nil
}

// otherTarget lists the targets for which a file contains code.
func (a *Adviser) otherTarget(args []any) (facts []Fact) {
	name := fmt.Sprint(args[0])
	var data []byte
	if a.Open != nil {
		data, _ = a.Open(name) // without data there is no answer
	}
	if data == nil {
		return nil
	}
	var holds []string
	later := ""
	var visit func(p *inspect.Part)
	visit = func(p *inspect.Part) {
		text := ""
		switch {
		case p.Cubin != nil:
			text = "code for " + p.Cubin.Target
			if a.isTooNew(p.Cubin.Toolkit) && (a.Accepts == nil || a.Accepts(p.Cubin.Target)) {
				later = p.Cubin.Toolkit
			}
		case p.Kind == inspect.KindPTX:
			text = "PTX for " + virtualTarget(p.Data)
		case p.Kind == inspect.KindLTO:
			text = codeText(p)
		}
		if text != "" && !slices.Contains(holds, text) {
			holds = append(holds, text)
		}
		for _, q := range p.Parts {
			visit(q)
		}
	}
	visit(inspect.Read(name, data))
	if later != "" {
		return []Fact{
			{"holds", fmt.Sprintf("%s: %s by CUDA %s, which is later than the release of the link", name, strings.Join(holds, ", "), later)},
			{"try", asRelease(later) + ", or compile it with the release of the link"},
		}
	}
	if len(holds) == 0 {
		return []Fact{{"holds", "no device code"}}
	}
	return []Fact{
		{"holds", fmt.Sprintf("%s: %s", name, strings.Join(holds, ", "))},
		{"try", "compile it for the target of the link" + a.generate() + ", or link for one that it holds"},
	}
}
