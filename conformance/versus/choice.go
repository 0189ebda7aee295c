package versus

import (
	"bytes"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/linker/catalogue"
	"github.com/culink/culink/linker/cubin"
)

// Some differences are intended: docs/errata.md lists them as divergences by choice. A trial counts links with such a
// difference separately.

// choices are the divergences that can be recognised from the files and the command line of a link that differs. Each
// names its row of docs/errata.md.
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
	{"E-354", func(_ *Pair, files attempt.Files, s Step, _ *Verdict) bool { return mistakesRelocations(files, s) }},
	{"E-371", func(_ *Pair, files attempt.Files, s Step, _ *Verdict) bool { return losesRegisters(files, s) }},
	{loss, func(p *Pair, files attempt.Files, s Step, v *Verdict) bool {
		return p.repairs(files, s, v.Reference)
	}},
}

// choice returns the row that explains why the linkers differ, and the empty string if none does. A file that cannot be
// parsed matches no row.
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

// loss is the row for relocations that an earlier -r dropped.
const loss = "E-345"

// werror is the option that turns warnings into errors.
const werror = "-Werror"

// lossMark is part of culink's message about relocations that an earlier -r dropped. The message is an error, or a
// warning if an option accepts the loss.
const lossMark = "an earlier -r has dropped the relocations of"

// refusesLoss reports whether a linker refuses a link for which the reference writes wrong code (docs/errata.md,
// E-345).
func refusesLoss(o Outcome) bool {
	return o.Exit != 0 && o.Output == nil && strings.Contains(o.Stderr, lossMark)
}

// acceptLoss repeats such a step with the option that accepts the loss. Apart from its warnings, the linker then has to
// behave as the reference does (RELOC-406).
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

// failsForLoss reports whether a step with --accept-lost-relocations fails only because -Werror turns the warnings
// about lost relocations into an error. What it would write without -Werror is not known.
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

// repairs reports whether a linker differs because it repairs what an earlier -r lost. It can do so from the notes of
// that file, or from the address of a variable (docs/errata.md, E-345; RELOC-405, RELOC-407). With the option that
// accepts the loss it writes the same bytes as the reference. -Werror turns its warnings about the loss into errors, so
// both linkers are then asked without it.
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

// joinsConstants reports whether the reference merges equal constants in this step, so that some code reads another
// constant (docs/errata.md, E-335). Two inputs have equal user constants of one of the sizes that the reference
// compares. relocates reports whether -r writes a relocatable file.
func joinsConstants(files attempt.Files, s Step, relocates bool) bool {
	if !s.choosesByName() || slices.Contains(s.Args, "-g") || relocates && slices.Contains(s.Args, "-r") {
		return false
	}
	var seen [][]byte
	for _, name := range s.Args {
		if files[name] == nil {
			continue
		}
		f, err := cubin.Open(name, files[name])
		if err != nil {
			continue
		}
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

// replacesTables reports whether a difference of this class is the known one in jump tables: if a function has two
// copies, the reference writes the tables of the discarded copy (docs/errata.md, E-349).
func replacesTables(files attempt.Files, s Step, class string) bool {
	if class != "bytes: section.nv.constant2.*.bytes" {
		return false
	}
	seen := map[string]bool{}
	for _, name := range s.Args {
		f, err := cubin.Open(name, files[name])
		if err != nil {
			continue
		}
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

// mistakesRelocations reports whether the reference applies to code the relocations of other code with the same name.
// An input from an earlier -r has both in its Mercury half (docs/errata.md, E-354).
func mistakesRelocations(files attempt.Files, s Step) bool {
	for _, name := range s.Args {
		f, err := cubin.Open(name, files[name])
		if err != nil {
			continue
		}
		first := map[string][]byte{}
		for i := range f.Sections {
			part := &f.Sections[i]
			data, err := f.Data(uint32(i))
			if part.Type != cubin.SectionMercRela || err != nil {
				continue
			}
			if had, ok := first[part.Name]; ok && !bytes.Equal(had, data) {
				return true
			}
			first[part.Name] = data
		}
	}
	return false
}

// losesRegisters reports whether the reference gives an alias the code of its function without the number of registers.
// This needs an input that refers to the alias before any input defines it. In the input that defines it, the symbol of
// the alias precedes that of the function (docs/errata.md, E-371).
func losesRegisters(files attempt.Files, s Step) bool {
	defined := map[string]bool{} // each name seen so far, and whether an input defines it
	for _, name := range s.Args {
		f, err := cubin.Open(name, files[name])
		if err != nil {
			continue
		}
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

// choosesByName reports whether an option names the kernels or variables that are used.
func (s Step) choosesByName() bool {
	return slices.ContainsFunc(s.Args, func(a string) bool {
		return strings.HasPrefix(a, "-kernels-used=") || strings.HasPrefix(a, "-variables-used=")
	})
}
