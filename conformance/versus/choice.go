package versus

import (
	"bytes"
	"encoding/binary"
	"iter"
	"math"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/diff"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/late"
	"github.com/culink/culink/linker/catalogue"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/inspect"
	"github.com/culink/culink/linker/nvinfo"
)

// Some differences are intended: docs/errata.md lists them as divergences by choice. A verdict names the entry of such a
// difference, so that callers can count it separately.

// choices lists the divergences that can be recognised from the files and the command line of a link. Each has the id of
// its entry in docs/errata.md.
var choices = [...]struct {
	id    string
	holds func(p *Pair, files attempt.Files, s Step, v *Verdict) bool
}{
	{"E-335", func(p *Pair, files attempt.Files, s Step, _ *Verdict) bool {
		return joinsConstants(files, s, p.Relocates)
	}},
	{"E-349", func(_ *Pair, files attempt.Files, s Step, v *Verdict) bool {
		return replacesTables(files, s, v.Class)
	}},
	{"E-351", func(_ *Pair, files attempt.Files, s Step, v *Verdict) bool {
		return (strings.HasPrefix(v.Class, "bytes: section.nv.shared.") || strings.HasPrefix(v.Class, "message: info")) && dropsSharedMemory(files, s)
	}},
	{"E-352", func(_ *Pair, files attempt.Files, s Step, _ *Verdict) bool { return sharesParameterNames(files, s) }},
	{"E-354", func(_ *Pair, files attempt.Files, s Step, _ *Verdict) bool { return mistakesRelocations(files, s) }},
	{"E-991", func(_ *Pair, files attempt.Files, s Step, v *Verdict) bool {
		return v.Class == "bytes: section.text.*.bytes" && mistakesOptions(files, s)
	}},
	{"E-440", func(_ *Pair, files attempt.Files, s Step, v *Verdict) bool {
		return v.Class == "bytes: section"+registerSection+".bytes" && hasCopies(files, s) && leavesRegisters(v.Reference.Output, v.Other.Output)
	}},
	{"E-371", func(_ *Pair, files attempt.Files, s Step, _ *Verdict) bool { return losesRegisters(files, s) }},
	{"E-470", func(_ *Pair, files attempt.Files, s Step, v *Verdict) bool {
		return v.Class == "bytes: section.nv.uft.entry.link" || v.Class == "bytes: section.nv.udt.entry.link" || refusesStubs(files, s, v)
	}},
	{"E-992", func(_ *Pair, files attempt.Files, s Step, v *Verdict) bool {
		names := weakBesideCommon(files, s)
		return len(names) > 0 && (v.onlyReferenceSays("Internal error: reference to deleted section") || leavesCommon(v.Reference.Output) && v.onlyPlacesDiffer(names))
	}},
	{"E-978", func(_ *Pair, files attempt.Files, s Step, v *Verdict) bool {
		return onlyRegistersDiffer(v) && hasUncountedKernel(files, s)
	}},
	{"E-781", func(_ *Pair, _ attempt.Files, _ Step, v *Verdict) bool {
		return v.onlyReferenceSays("Internal error: Negative size encountered")
	}},
	{"E-782", func(_ *Pair, _ attempt.Files, _ Step, v *Verdict) bool {
		return v.onlyReferenceSays("Internal error: conflicting crs_stack attribute")
	}},
	{"E-750", func(_ *Pair, _ attempt.Files, _ Step, v *Verdict) bool {
		return v.onlyLinkerRefuses("is of an extensible whole program; with -r and with -g it needs NVIDIA's code generator")
	}},
	{"E-800", func(_ *Pair, _ attempt.Files, _ Step, v *Verdict) bool {
		return v.onlyLinkerRefuses("and their shared variables get no place")
	}},
	{"E-840", func(_ *Pair, _ attempt.Files, _ Step, v *Verdict) bool {
		return v.onlyLinkerRefuses("and their slots of textures get no place")
	}},
	{"E-965", func(_ *Pair, _ attempt.Files, _ Step, v *Verdict) bool { return v.bothSay("Internal FNLZR error") }},
	{loss, func(p *Pair, files attempt.Files, s Step, v *Verdict) bool {
		return p.repairs(files, s, v.Reference)
	}},
}

// onlyReferenceSays reports whether the reference alone has a message, and the linker no internal error of its own.
func (v *Verdict) onlyReferenceSays(message string) bool {
	return strings.Contains(v.Reference.Stderr, message) && !strings.Contains(v.Other.Stderr, "Internal error: ")
}

// bothSay reports whether the messages of the reference and of the linker have a text in common.
func (v *Verdict) bothSay(message string) bool {
	return strings.Contains(v.Reference.Stderr, message) && strings.Contains(v.Other.Stderr, message)
}

// onlyLinkerRefuses reports whether the linker refuses the link with a message that the reference does not have. A later
// error may end the link of the reference.
func (v *Verdict) onlyLinkerRefuses(message string) bool {
	return v.Other.Output == nil && v.Other.Exit != 0 && strings.Contains(v.Other.Stderr, message) && !strings.Contains(v.Reference.Stderr, message)
}

// choice returns the id of the entry that explains why the linkers differ, or the empty string if there is none. A file
// that cannot be parsed matches no entry.
func (p *Pair) choice(files attempt.Files, s Step, v *Verdict) (id string) {
	judge.Guarded(func() {
		for _, c := range choices {
			if c.holds(p, files, s, v) {
				id = c.id
				return
			}
		}
	})
	return id
}

// loss is the id of the entry about relocations that an earlier -r dropped.
const loss = "E-345"

// werror is the option that turns warnings into errors.
const werror = "-Werror"

// lossMark is part of culink's message about relocations that an earlier -r dropped. The message is an error. It is a
// warning if an option accepts the loss.
const lossMark = "an earlier -r has dropped the relocations of"

// refusesLoss reports whether a linker refuses a link for which the reference writes wrong code (docs/errata.md,
// E-345).
func refusesLoss(o Outcome) bool {
	return o.Exit != 0 && o.Output == nil && strings.Contains(o.Stderr, lossMark)
}

// acceptLoss repeats a step that was refused because of lost relocations, with the option that accepts the loss. Apart
// from its warnings, the linker must then behave like the reference (RELOC-406).
func acceptLoss(linker Runner, files attempt.Files, s Step) (Outcome, error) {
	s.Args = append(slices.Clone(s.Args), "--accept-lost-relocations")
	o, err := Link(linker, files, s)
	var rest strings.Builder
	for line := range strings.Lines(o.Stderr) {
		if !strings.Contains(line, lossMark) {
			rest.WriteString(line)
		}
	}
	o.Stderr = rest.String()
	return o, err
}

// failsForLoss reports whether a step with --accept-lost-relocations fails only because -Werror turns the warnings about
// lost relocations into an error. Such a step does not show what the linker writes without -Werror.
func failsForLoss(s Step, accepted Outcome) bool {
	if !slices.Contains(s.Args, werror) || accepted.Exit == 0 || accepted.Output != nil {
		return false
	}
	for line := range strings.Lines(accepted.Stderr) {
		if strings.Contains(line, " warning ") || strings.Contains(line, " error ") || strings.Contains(line, " fatal ") {
			return false
		}
	}
	return true
}

// repairs reports whether a linker differs because it restores relocations that an earlier -r lost. It can restore them
// from the notes of that file or from the address of a variable (docs/errata.md, E-345; RELOC-405, RELOC-407). With the
// option that accepts the loss, the linker writes the same bytes as the reference. -Werror would turn the warnings about
// the loss into errors, so repairs runs both linkers without it.
func (p *Pair) repairs(files attempt.Files, s Step, reference Outcome) bool {
	if slices.Contains(s.Args, werror) {
		s.Args = slices.DeleteFunc(slices.Clone(s.Args), func(word string) bool { return word == werror })
		var err error
		if reference, err = Link(p.Reference, files, s); err != nil {
			return false
		}
	}
	accepted, err := acceptLoss(p.Linker, files, s)
	return err == nil && compareAll(reference, accepted).Class == ""
}

// joinsConstants reports whether the reference merges equal constants in this step although some code then reads a wrong
// constant (docs/errata.md, E-335). This needs two inputs with equal user constants, in one of the sizes that the
// reference compares. relocates is true if -r writes a relocatable file.
func joinsConstants(files attempt.Files, s Step, relocates bool) bool {
	if !s.choosesKernels(files) || slices.Contains(s.Args, "-g") || relocates && slices.Contains(s.Args, "-r") {
		return false
	}
	var seen [][]byte
	for f := range s.cubins(files) {
		for i := range f.Sections {
			part := &f.Sections[i]
			data, err := f.Data(uint32(i))
			if part.Name != ".nv.constant3" || err != nil || !catalogue.IsJoinable(part.Size, part.AddrAlign) {
				continue
			}
			if slices.ContainsFunc(seen, func(other []byte) bool { return bytes.Equal(data, other) }) {
				return true
			}
			seen = append(seen, data)
		}
	}
	return false
}

// replacesTables reports whether a class is the known difference in jump tables: if a function has two copies, the
// reference writes the tables of the discarded copy (docs/errata.md, E-349).
func replacesTables(files attempt.Files, s Step, class string) bool {
	if class != "bytes: section.nv.constant2.*.bytes" {
		return false
	}
	seen := map[string]bool{}
	for f := range s.cubins(files) {
		for i := range f.Sections {
			if part := &f.Sections[i]; part.Type == cubin.SectionMercOptimizer {
				if seen[part.Name] {
					return true
				}
				seen[part.Name] = true
			}
		}
	}
	return false
}

// dropsSharedMemory reports whether the reference drops the shared memory of a kernel of an extensible whole program,
// because of -g (docs/errata.md, E-351).
func dropsSharedMemory(files attempt.Files, s Step) bool {
	if !slices.Contains(s.Args, "-g") {
		return false
	}
	for f := range s.cubins(files) {
		if f.Type == cubin.TypeEWP && slices.ContainsFunc(f.Sections, func(part cubin.Section) bool {
			return strings.HasPrefix(part.Name, ".nv.shared.") && part.Size > 0
		}) {
			return true
		}
	}
	return false
}

// sharesParameterNames reports whether a texture, sampler or surface that is a parameter of a kernel has the name of
// another symbol of the link (docs/errata.md, E-352).
func sharesParameterNames(files attempt.Files, s Step) bool {
	symbols, parameters := map[string]int{}, map[string]bool{}
	for f := range s.cubins(files) {
		list, err := f.Symbols()
		if err != nil {
			continue
		}
		for i := range list {
			y := &list[i]
			symbols[y.Name]++
			if cubin.IsHandle(y.Type) && int(y.Section) < len(f.Sections) && strings.HasPrefix(f.Sections[y.Section].Name, cubin.CodePrefix) {
				parameters[y.Name] = true
			}
		}
	}
	for name := range parameters {
		if symbols[name] > 1 {
			return true
		}
	}
	return false
}

// mistakesRelocations reports whether the reference applies the relocations of one function to another function with the
// same name. This needs an input from an earlier -r with both functions in its Mercury half (docs/errata.md, E-354).
func mistakesRelocations(files attempt.Files, s Step) bool {
	return hasTwoOfName(files, s, func(part *cubin.Section, data []byte) []byte {
		if part.Type != cubin.SectionMercRela {
			return nil
		}
		return data
	})
}

// mistakesOptions reports whether the reference finalizes one function with the options of another function with the same
// name. This needs an input from an earlier -r with both functions in its Mercury half, one of which was compiled without
// optimisation (docs/errata.md, E-991).
func mistakesOptions(files attempt.Files, s Step) bool {
	return hasTwoOfName(files, s, func(part *cubin.Section, data []byte) []byte {
		if !strings.HasPrefix(part.Name, mercuryInfo) {
			return nil
		}
		for r, err := range nvinfo.Records(data, len(data)) {
			if err == nil && r.Code == nvinfo.FinalizerOptions {
				return r.Payload
			}
		}
		return nil
	})
}

// mercuryInfo begins the names of the sections with the attributes of functions in the Mercury half.
const mercuryInfo = ".nv.merc.nv.info."

// hasTwoOfName reports whether an input has two sections of one name that differ in what fact returns of them. A section
// of which it returns nil does not count.
func hasTwoOfName(files attempt.Files, s Step, fact func(part *cubin.Section, data []byte) []byte) bool {
	for f := range s.cubins(files) {
		first := map[string][]byte{}
		for i := range f.Sections {
			data, err := f.Data(uint32(i))
			if err != nil {
				continue
			}
			has := fact(&f.Sections[i], data)
			if has == nil {
				continue
			}
			if had, ok := first[f.Sections[i].Name]; ok && !bytes.Equal(had, has) {
				return true
			}
			first[f.Sections[i].Name] = has
		}
	}
	return false
}

// registerSection is the section that says in which registers variables are.
const registerSection = ".nv_debug_info_reg_sass"

// leavesRegisters reports whether the outputs of the reference and of the linker differ in that section only where the
// linker writes 0. There the reference leaves memory uninitialised (docs/errata.md, E-440).
func leavesRegisters(reference, other []byte) bool {
	theirs, ours := sectionOf(reference, registerSection), sectionOf(other, registerSection)
	if len(theirs) != len(ours) {
		return false
	}
	for i := range ours {
		if ours[i] != theirs[i] && ours[i] != 0 {
			return false
		}
	}
	return true
}

// hasCopies reports whether a function has code of different sizes in two inputs.
func hasCopies(files attempt.Files, s Step) bool {
	sizes := map[string]uint64{}
	for f := range s.cubins(files) {
		for i := range f.Sections {
			part := &f.Sections[i]
			if !strings.HasPrefix(part.Name, cubin.CodePrefix) {
				continue
			}
			if size, seen := sizes[part.Name]; seen && size != part.Size {
				return true
			}
			sizes[part.Name] = part.Size
		}
	}
	return false
}

// sectionOf returns the contents of a section of a cubin, or nil if there is none.
func sectionOf(data []byte, name string) []byte {
	f, err := cubin.Open("output", data)
	if err != nil {
		return nil
	}
	for i := range f.Sections {
		if f.Sections[i].Name == name {
			contents, _ := f.Data(uint32(i))
			return contents
		}
	}
	return nil
}

// losesRegisters reports whether the reference writes an alias without the register count of its function. This happens
// if an input refers to the alias before any input defines it, and the symbol of the alias precedes that of the function
// in the defining input (docs/errata.md, E-371).
func losesRegisters(files attempt.Files, s Step) bool {
	defined := map[string]bool{} // whether an input defines the name, for each name seen so far
	for f := range s.cubins(files) {
		symbols, err := f.Symbols()
		if err != nil {
			continue
		}
		for i := range symbols {
			y := &symbols[i]
			if y.Type != cubin.SymFunc || y.Bind == cubin.BindLocal {
				continue
			}
			has, named := defined[y.Name]
			if y.Defined() && named && !has && int(y.Section) < len(f.Sections) && f.Sections[y.Section].CodeSymbol() > y.Index {
				return true
			}
			defined[y.Name] = has || y.Defined()
		}
	}
	return false
}

// refusesStubs reports whether the linker refuses stubs of unified functions, which the reference merges wrongly or refuses
// in a later phase (docs/errata.md, E-470).
func refusesStubs(files attempt.Files, s Step, v *Verdict) bool {
	if v.Other.Exit == 0 || v.Other.Output != nil || !strings.Contains(v.Other.Stderr, "Finalization failed: 'unsupported elf type'") {
		return false
	}
	for f := range s.cubins(files) {
		if slices.ContainsFunc(f.Sections, func(part cubin.Section) bool { return strings.HasPrefix(part.Name, ".nv.uft.rel.") }) {
			return true
		}
	}
	return false
}

// weakBesideCommon returns the variables of which an input has a weak definition and an earlier one a common one
// (docs/errata.md, E-992).
func weakBesideCommon(files attempt.Files, s Step) (names []string) {
	common := map[string]bool{}
	for f := range s.cubins(files) {
		symbols, err := f.Symbols()
		if err != nil {
			continue
		}
		for i := range symbols {
			if y := &symbols[i]; y.Defined() && y.Bind == cubin.BindWeak && common[y.Name] {
				names = append(names, y.Name)
			}
		}
		for i := range symbols {
			if y := &symbols[i]; y.Section == cubin.ShnCommon {
				common[y.Name] = true
			}
		}
	}
	return names
}

// onlyPlacesDiffer reports whether the outputs differ in these variables, in the values of other variables of .nv.global, in the
// size of that section, in order and in what follows from these, and in nothing else.
func (v *Verdict) onlyPlacesDiffer(names []string) bool {
	report, err := diff.Compare(v.Reference.Output, v.Other.Output, diff.Options{})
	if err != nil || report.More > 0 {
		return false
	}
	own := []string{"section.nv.global", "section.nv.global.size", "section.nv.global.align"}
	for _, name := range names {
		own = append(own, "sym."+name, "sym."+name+".value", "sym."+name+".section")
	}
	for name := range globalVariables(v.Other.Output) {
		own = append(own, "sym."+name+".value")
	}
	return !slices.ContainsFunc(report.Differences, func(d diff.Difference) bool {
		follows := d.Rank == diff.RankOrder || d.Rank == diff.RankNames || d.Rank == diff.RankLayout
		return !follows && !slices.Contains(own, d.Key)
	})
}

// globalVariables returns the symbols in .nv.global.
func globalVariables(output []byte) iter.Seq[string] {
	return func(yield func(string) bool) {
		f, err := cubin.Open("output", output)
		if err != nil {
			return
		}
		symbols, err := f.Symbols()
		if err != nil {
			return
		}
		for _, y := range symbols {
			if int(y.Section) < len(f.Sections) && f.Sections[y.Section].Name == cubin.GlobalName && !yield(y.Name) {
				return
			}
		}
	}
}

// leavesCommon reports whether a relocatable file has a common symbol with the value of one without a place, -2.
func leavesCommon(output []byte) bool {
	const noPlace = math.MaxUint64 - 1
	f, err := cubin.Open("output", output)
	if err != nil {
		return false
	}
	symbols, err := f.Symbols()
	return err == nil && slices.ContainsFunc(symbols, func(y cubin.Symbol) bool { return y.Section == cubin.ShnCommon && y.Value == noPlace })
}

// onlyRegistersDiffer reports whether the linkers differ in the numbers of registers that -v prints, and in nothing else.
func onlyRegistersDiffer(v *Verdict) bool {
	masked := func(o *Outcome) string { return usedRegisters().ReplaceAllString(o.Stderr, "used registers") }
	return v.Reference.Stderr != v.Other.Stderr && masked(&v.Reference) == masked(&v.Other) &&
		v.Reference.Exit == v.Other.Exit && bytes.Equal(v.Reference.Output, v.Other.Output)
}

var usedRegisters = late.Regexp(`used -?[0-9]+ registers`)

// hasUncountedKernel reports whether an input has a kernel for which no attribute gives the number of registers. nvlink
// prints the number of another kernel for it (docs/errata.md, E-978).
func hasUncountedKernel(files attempt.Files, s Step) bool {
	for f := range s.cubins(files) {
		symbols, err := f.Symbols()
		if err != nil {
			continue
		}
		counted := map[uint32]bool{}
		for i := range f.Sections {
			if f.Sections[i].Type != cubin.SectionInfo {
				continue
			}
			data, err := f.Data(uint32(i))
			if err != nil {
				continue
			}
			for r, err := range nvinfo.Records(data, len(data)) {
				if err == nil && r.Code == nvinfo.RegCount && len(r.Payload) >= 4 {
					counted[binary.LittleEndian.Uint32(r.Payload)] = true
				}
			}
		}
		for i := range symbols {
			if y := &symbols[i]; y.IsEntry() && !counted[y.Index] {
				return true
			}
		}
	}
	return false
}

// cubins yields the cubins on the command line, in its order. Those in archives, fat binaries and objects are included.
func (s Step) cubins(files attempt.Files) iter.Seq[*cubin.File] {
	return func(yield func(*cubin.File) bool) {
		for _, name := range s.Args {
			for part := range inspect.Read(name, files[name]).Cubins() {
				if f, err := cubin.Open(name, part.Data); err == nil && !yield(f) {
					return
				}
			}
		}
	}
}

// choosesKernels reports whether the link drops kernels and variables: an option lists those in use, or all inputs are host
// objects that name kernels (LOAD-114).
func (s Step) choosesKernels(files attempt.Files) bool {
	inputs, objects := 0, 0
	for _, a := range s.Args {
		if strings.HasPrefix(a, "-kernels-used=") || strings.HasPrefix(a, "-variables-used=") {
			return true
		}
		if data, ok := files[a]; ok {
			inputs++
			if strings.HasSuffix(a, ".o") && bytes.Contains(data, []byte(".nvHRK")) {
				objects++
			}
		}
	}
	return objects > 0 && objects == inputs && !slices.Contains(s.Args, "-ignore-host-info")
}
