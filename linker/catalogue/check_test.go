package catalogue

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// check compares every section of a file with the catalogue, and returns the errors. The name of the section
// must be known, and its header must be the one for that name. In a linked file without a Mercury half, the
// groups must be in order.
func check(f *cubin.File) []error {
	c := checker{file: f}
	ordered := f.Type == cubin.TypeExecutable && f.SM() < arch.MinMercury && linked(f)
	group := Null
	for i := range f.Sections {
		s := &f.Sections[i]
		k, part := Lookup(s.Name)
		if i == 0 {
			k = &Kinds[0]
		}
		if k == nil || i > 0 && k.Pattern == "" {
			c.fail(s, "is not in the catalogue", s.Name)
			continue
		}
		c.section(s, k, part)
		if ordered {
			if k.Group < group {
				c.fail(s, fmt.Sprintf("stands among the %v", group), k.Group)
			}
			group = max(group, k.Group)
		}
	}
	return c.errors
}

// linked reports whether a linker, and not the compiler, wrote the executable. The compiler writes the groups
// in another order.
func linked(f *cubin.File) bool {
	s := f.Section(".note.nv.tkinfo")
	if s == nil {
		return false
	}
	notes, err := f.Notes(s.Index)
	if err != nil || len(notes) == 0 {
		return false
	}
	own, err := nvinfo.DecodeToolInfo(notes[0].Desc)
	return err == nil && own.Tool != "ptxas"
}

type checker struct {
	file   *cubin.File
	errors []error
}

func (c *checker) fail(s *cubin.Section, msg string, value any) {
	c.errors = append(c.errors, &cubin.FormatError{
		File: c.file.Name, Part: fmt.Sprintf("section %d %s", s.Index, s.Name),
		Offset: int64(c.file.ShOff) + int64(s.Index)*cubin.SectionHeaderSize, Msg: msg, Value: value,
	})
}

func (c *checker) section(s *cubin.Section, k *Kind, part string) {
	if want := k.Type(c.file.Type == cubin.TypeExecutable, s.Name); s.Type != want {
		c.fail(s, fmt.Sprintf("has not type %#x", uint32(want)), fmt.Sprintf("%#x", uint32(s.Type)))
	}
	flags := k.Flags
	if k.Info == CompatInfo && c.file.Section(".nv.compat") != nil {
		flags |= cubin.FlagInfoLink
	}
	if k.Pattern == ".rel.nv.constant0.<f>" && s.Flags == cubin.FlagInfoLink { // of slots that ptxas -ewp placed (LAYOUT-802)
		flags = cubin.FlagInfoLink
	}
	if k.Pattern == ".text.<f>" {
		flags |= uint64(s.Flags) & cubin.FlagBarriers
	}
	if uint64(s.Flags) != flags {
		c.fail(s, fmt.Sprintf("has not flags %#x", flags), fmt.Sprintf("%#x", s.Flags))
	}
	if s.EntSize != k.EntSize {
		c.fail(s, fmt.Sprintf("has not entry size %d", k.EntSize), s.EntSize)
	}
	if !k.Varies && s.AddrAlign != k.Align {
		c.fail(s, fmt.Sprintf("has not alignment %d", k.Align), s.AddrAlign)
	}
	c.reference(s, "sh_link", s.Link, k.Link, part)
	c.reference(s, "sh_info", s.Info, k.Info, part)
}

// reference checks that value, which is sh_link or sh_info of s, refers to the section that r describes.
func (c *checker) reference(s *cubin.Section, field string, value uint32, r Reference, part string) {
	want := ""
	switch r {
	case NoReference:
		if value != 0 {
			c.fail(s, field+" is not 0", value)
		}
		return
	case StringTable:
		want = ".strtab"
	case SymbolTable:
		want = ".symtab"
	case MercSymbols:
		want = ".nv.merc.symtab"
	case ToolNote:
		want = ".note.nv.tkinfo"
	case CompatInfo:
		if want = ".nv.compat"; c.file.Section(want) == nil {
			want = ""
		}
	case Code:
		want = ".text." + part
	case MercCode:
		want = ".nv.capmerc.text." + part
	case Stub:
		want = ".nv.uft.rel." + part
	case MercStub:
		want = ".nv.capmerc.nv.uft.rel." + part
	case Target:
		c.target(s, value)
		return
	case Symbol, Locals:
		return // numbers of the symbol table, which this package does not read
	}
	if int(value) >= len(c.file.Sections) || c.file.Sections[value].Name != want {
		c.fail(s, fmt.Sprintf("%s is not %q", field, want), value)
	}
}

// target checks sh_info of a relocation section.
func (c *checker) target(s *cubin.Section, value uint32) {
	names := Patched(s.Name)
	if int(value) >= len(c.file.Sections) || !slices.Contains(names, c.file.Sections[value].Name) {
		c.fail(s, "sh_info is not the section "+names[0], value)
	}
}
