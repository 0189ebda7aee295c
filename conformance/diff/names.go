package diff

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// names maps every index of a file to a name that has the same meaning in another file. If sections or symbols share a
// name, later ones in the table are numbered "#2", "#3" and so on. The name of a section symbol is "<.text.k>".
type names struct {
	file     *cubin.File
	sections []string
	tables   map[uint32]*symbolTable // symbol tables by section index
	main     *symbolTable            // .symtab
}

// A symbolTable is one symbol table: .symtab, or .nv.merc.symtab.
type symbolTable struct {
	section uint32
	prefix  string // "sym." or "merc.sym."
	symbols []cubin.Symbol
	names   []string
}

func newNames(c *cubin.File, f *facts) *names {
	n := &names{file: c, tables: map[uint32]*symbolTable{}, main: &symbolTable{prefix: "sym."}}
	for i := range c.Sections {
		n.sections = append(n.sections, shortened(c.Sections[i].Name))
	}
	n.sections = unique(n.sections)
	for i := range c.Sections {
		s := &c.Sections[i]
		if s.Type != cubin.SectionSymTab && s.Type != cubin.SectionMercSymTab || !f.fits(s.Name, int(s.Size)) {
			continue
		}
		symbols, err := c.SymbolsOf(uint32(i))
		if err != nil {
			f.fail(err)
			continue
		}
		t := &symbolTable{section: uint32(i), prefix: "sym.", symbols: symbols}
		if s.Type == cubin.SectionMercSymTab {
			t.prefix = "merc.sym."
		} else if n.main.symbols == nil {
			n.main = t
		}
		for k := range symbols {
			t.names = append(t.names, n.symbolName(&symbols[k]))
		}
		t.names = unique(t.names)
		n.tables[uint32(i)] = t
	}
	return n
}

func (n *names) symbolName(y *cubin.Symbol) string {
	switch {
	case y.Index == 0:
		return "<null>"
	case y.Type == cubin.SymSection:
		return "<" + n.sectionOf(y.Section) + ">"
	case y.Name == "":
		return "<unnamed>"
	}
	return shortened(y.Name)
}

// longName is the length in bytes up to which a name is a part of keys. The names of templates of C++ have up to some hundred.
const longName = 1 << 10

// shortened returns a name, or the beginning of a long one with a digest of it: any number of keys may contain the name.
func shortened(name string) string {
	if len(name) <= longName {
		return name
	}
	return fmt.Sprintf("%s...(%d bytes, %x)", name[:longName], len(name), sha256.Sum256([]byte(name)))
}

// section names a section by its index.
func (n *names) section(i uint32) string {
	if i < uint32(len(n.sections)) {
		return n.sections[i]
	}
	return fmt.Sprintf("<no section %d>", i)
}

// sectionOf names the section of a symbol.
func (n *names) sectionOf(i uint32) string {
	switch i {
	case cubin.ShnUndef:
		return "UNDEF"
	case cubin.ShnAbs:
		return "ABS"
	case cubin.ShnCommon:
		return "COMMON"
	}
	return n.section(i)
}

// linked returns the symbol table that section s refers to, or else .symtab.
func (n *names) linked(s *cubin.Section) *symbolTable {
	if t := n.tables[s.Link]; t != nil {
		return t
	}
	return n.main
}

// symbol names a symbol by its index.
func (t *symbolTable) symbol(i uint32) string {
	if i < uint32(len(t.names)) {
		return t.names[i]
	}
	return fmt.Sprintf("<no symbol %d>", i)
}

// families lists the prefixes of sections that are named after a function or another section.
var families = []string{
	".nv.merc.rela.", ".nv.merc.nv.info.", ".nv.resolvedrela.", ".nv.merc.nv.resolvedrela.",
	".rela.", ".rel.", ".text.", ".nv.info.", ".nv.shared.", ".nv.local.", ".nv.capmerc.text.",
}

// sectionKey returns the key of a section without its leading dot, and the class
// of the key: "text.k" and "text.*".
func sectionKey(name string) (key, class string) {
	key = strings.TrimPrefix(name, ".")
	class = key
	if suffix, isConstant := strings.CutPrefix(name, ".nv.constant"); isConstant {
		if bank, of, found := strings.Cut(suffix, "."); found && bank != "" && of != "" {
			class = "nv.constant" + bank + ".*"
		}
		return key, class
	}
	for _, p := range families {
		if strings.HasPrefix(name, p) {
			_, rest := sectionKey("." + name[len(p):])
			if strings.HasSuffix(p, "rela.") || p == ".rel." {
				return key, strings.TrimPrefix(p, ".") + rest
			}
			return key, strings.TrimPrefix(p, ".") + "*"
		}
	}
	return key, class
}

// function returns the function in the name of a section, such as "k" for ".nv.info.k". It returns the empty string for
// a section of the whole file.
func function(name string) string {
	for _, p := range families {
		if rest, found := strings.CutPrefix(name, p); found {
			return rest
		}
	}
	return ""
}
