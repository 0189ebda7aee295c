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

// Some differences are wanted: docs/errata.md lists them as divergences by choice. A
// trial that meets one is counted apart.

// choices are the divergences that can be told from the files and the command line of a link that differs, by the rows
// of docs/errata.md.
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
		return repairs(p.Linker, files, s, v.Reference)
	}},
}

// choice returns the row by which the linkers differ; empty for none. A file in which none of them can be looked for is
// told by none.
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

// loss is the row of relocations that an earlier -r has dropped.
const loss = "E-345"

// lossMark is in what culink says of relocations that an earlier -r has dropped: an error, or a
// warning when it is told to accept their loss.
const lossMark = "an earlier -r has dropped the relocations of"

// refusesLoss reports whether a linker refuses what the reference links to wrong code
// (docs/errata.md, E-345).
func refusesLoss(o Outcome) bool {
	return o.Exit != 0 && o.Output == nil && strings.Contains(o.Stderr, lossMark)
}

// acceptLoss does such a step again, told to accept the loss. Beside its warnings a linker has
// to do what the reference does (RELOC-406).
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

// failsForLoss reports whether all that a linker complains of that was told to accept the loss is of it, and -Werror
// makes that an error. What it would write else nobody knows.
func failsForLoss(s Step, accepted Outcome) bool {
	if !slices.Contains(s.Args, "-Werror") || accepted.Exit == 0 || accepted.Output != nil {
		return false
	}
	for line := range strings.Lines(accepted.Stderr) {
		if strings.Contains(line, " warning ") || strings.Contains(line, " error ") || strings.Contains(line, " fatal ") {
			return false
		}
	}
	return true
}

// repairs reports whether a linker differs because it repairs what an earlier -r has lost: by the
// notes of that file, or by the place of a variable (docs/errata.md, E-345; RELOC-405,
// RELOC-407). Told to accept the loss it writes what the reference writes.
func repairs(linker Runner, files attempt.Files, s Step, reference Outcome) bool {
	accepted, err := acceptLoss(linker, files, s)
	return err == nil && compareAll(reference, accepted).Class == ""
}

// joinsConstants reports whether a step is one in which the reference keeps one copy of
// equal constants and lets code read something else (docs/errata.md, E-335): two inputs
// have equal user constants of one of the sizes that it compares. relocates: -r makes a relocatable file.
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

// replacesTables reports whether a difference of a class is that the reference writes the jump
// tables of a function that has two copies for the one that is not linked (docs/errata.md,
// E-349).
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

// mistakesRelocations reports whether the reference gives code the relocations of other code of
// its name: an input from an earlier -r has both in its Mercury half (docs/errata.md, E-354).
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

// losesRegisters reports whether the reference gives an alias the code of its function, without its registers: an input
// names the alias, none before defines it, and in the one that does its symbol stands before that of the function
// (docs/errata.md, E-371).
func losesRegisters(files attempt.Files, s Step) bool {
	defined := map[string]bool{} // of the names so far, whether an input defines it
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
