package forged_test

// Forged relocations test relocation types of nvlink that no current compiler emits. The tests start from a
// cubin that ptxas compiled from testdata/forge.ptx, and add space after the contents of one section. In this
// space there is one place for each question, with a relocation entry of the type, symbol and addend in
// question. The linked file shows the result for every place and entry.

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/linker/cubin"
)

// A question is one relocation entry and the bytes at its place.
type question struct {
	Type   uint32
	Symbol string // name, or section name for a section symbol; "" is the null symbol
	Addend int64
	Fill   [2]uint64 // initial bytes of the place, twice
	Shift  uint64    // bytes from the start of the place to the offset of the entry
}

// An answer is the result for a question in the linked file.
type answer struct {
	Kept   bool
	Type   uint32 // of the kept entry
	Symbol string // of the kept entry
	Addend int64  // of the kept entry
	Bytes  []byte // of the place
}

// placeSize is the space for one question. It has a 128-bit word, and another word that must not change.
const placeSize = 32

// A toolchain is a directory with bin/ptxas and bin/nvlink.
type toolchain struct{ dir string }

// liveToolchain returns the toolchain of CULINK_ORACLE.
func liveToolchain(t testing.TB) toolchain {
	return toolchain{toolstest.Oracle(t)}
}

// run runs a tool. It returns its exit status, and its output without the tool's name. Status -1 stands for a
// crash.
func (c toolchain) run(tool string, args ...string) (int, string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(c.dir, "bin", tool), args...)
	out, err := cmd.CombinedOutput()
	text := strings.TrimSpace(strings.ReplaceAll(string(out), tool+" ", ""))
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, text
	case errors.As(err, &exit):
		return exit.ExitCode(), text
	}
	return -1, err.Error()
}

// compile compiles a PTX file with ptxas.
func (c toolchain) compile(t testing.TB, source, arch string) []byte {
	t.Helper()
	out := filepath.Join(t.TempDir(), "base.cubin")
	if status, text := c.run("ptxas", "-c", "-arch="+arch, source, "-o", out); status != 0 {
		t.Fatalf("ptxas %s: status %d: %s", source, status, text)
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// askedName returns the name of a symbol in questions. For a section symbol it is the section name. For a
// function's own variable "$__sh__26" it is "sh".
func askedName(f *cubin.File, y *cubin.Symbol) string {
	if y.Type == cubin.SymSection && int(y.Section) < len(f.Sections) {
		return f.Sections[y.Section].Name
	}
	if own, ok := strings.CutPrefix(y.Name, "$__"); ok {
		name, _, _ := strings.Cut(own, "__")
		return name
	}
	return y.Name
}

// lookupSymbol finds the symbol with a name used in questions.
func lookupSymbol(f *cubin.File, mercury bool, name string) (cubin.Symbol, bool) {
	table := ".symtab"
	if mercury {
		table = ".nv.merc.symtab"
	}
	symbols, err := f.SymbolsOf(f.Section(table).Index)
	if err != nil {
		return cubin.Symbol{}, false
	}
	for i := range symbols {
		if askedName(f, &symbols[i]) == name {
			return symbols[i], true
		}
	}
	for _, y := range makeUp(f, []question{{Symbol: name}}) {
		return y, true
	}
	return cubin.Symbol{}, false
}

// makeUp returns those symbols in questions that no compiler creates.
func makeUp(f *cubin.File, questions []question) []cubin.Symbol {
	text := f.Section(".text.k").Index
	known := []cubin.Symbol{
		{Name: "label", Bind: cubin.BindGlobal, Section: text, Value: 0x40},
		{Name: "absolute", Bind: cubin.BindGlobal, Type: cubin.SymObject, Section: cubin.ShnAbs, Value: 0x1234},
		{Name: "obscure", Bind: cubin.BindGlobal, Type: cubin.SymFunc, Other: cubin.OtherObscure, Section: text, Value: 0x40, Size: 16},
		{Name: "obscure variable", Bind: cubin.BindGlobal, Type: cubin.SymData, Other: cubin.OtherObscure | cubin.OtherGlobal, Section: f.Section(".nv.global").Index, Size: 4},
		{Name: "undefined global", Bind: cubin.BindGlobal, Type: cubin.SymData, Other: cubin.OtherGlobal},
		{Name: "undefined weak", Bind: cubin.BindWeak, Type: cubin.SymData, Other: cubin.OtherGlobal},
		{Name: "local", Bind: cubin.BindGlobal, Type: cubin.SymData, Other: cubin.OtherLocal, Section: f.Section(".nv.global").Index, Size: 4},
	}
	var made []cubin.Symbol
	for _, y := range known {
		for _, q := range questions {
			if q.Symbol == y.Name {
				made = append(made, y)
				break
			}
		}
	}
	return made
}

// forge adds the questions to section site of a cubin, as entries of its .rela section or of its .rel section.
// It returns the file and the offset of the first place in site.
func forge(base []byte, site string, rela bool, questions []question) ([]byte, uint64, error) {
	f, err := cubin.Open("base", base)
	if err != nil {
		return nil, 0, err
	}
	m, err := imageOf(f, len(base))
	if err != nil {
		return nil, 0, err
	}
	target := f.Section(site)
	if target == nil {
		return nil, 0, fmt.Errorf("no section %s", site)
	}
	kind, list, table, entry := cubin.SectionRel, ".rel"+site, ".symtab", cubin.RelSize
	if rela {
		kind, list, entry = cubin.SectionRela, ".rela"+site, cubin.RelaSize
	}
	if rest, ok := strings.CutPrefix(site, ".nv.merc"); ok {
		kind, list, table = cubin.SectionMercRela, ".nv.merc.rela"+rest, ".nv.merc.symtab"
	}
	symtab := f.Section(table)
	if symtab == nil {
		return nil, 0, fmt.Errorf("no section %s", table)
	}
	symbols, err := f.SymbolsOf(symtab.Index)
	if err != nil {
		return nil, 0, err
	}
	index := map[string]uint32{}
	for i := len(symbols) - 1; i >= 0; i-- { // of equal names the first prevails
		index[askedName(f, &symbols[i])] = uint32(i)
	}
	index[""] = 0
	made := makeUp(f, questions)
	for i, y := range made {
		index[y.Name] = uint32(len(symbols) + i)
	}

	contents := append([]byte(nil), m.Sections[target.Index].Data...)
	for len(contents)%128 != 0 {
		contents = append(contents, 0)
	}
	first := uint64(len(contents))
	var entries []byte
	for i, q := range questions {
		symbol, ok := index[q.Symbol]
		if !ok {
			return nil, 0, fmt.Errorf("no symbol %q", q.Symbol)
		}
		r := cubin.Relocation{Offset: first + uint64(i)*placeSize + q.Shift, Type: q.Type, Symbol: symbol, Addend: q.Addend}
		if rela {
			entries = cubin.AppendRela(entries, r)
		} else {
			entries = cubin.AppendRel(entries, r)
		}
		for w := range placeSize / 8 {
			contents = binary.LittleEndian.AppendUint64(contents, q.Fill[w%2])
		}
	}

	section := f.Section(list)
	if section == nil {
		names := m.Sections[f.ShStrNdx].Data
		at := bytes.Index(names, []byte(list+"\x00"))
		if at < 0 {
			at = len(names)
			move(m, f.ShStrNdx, append(append([]byte(nil), names...), list+"\x00"...))
		}
		section = &cubin.Section{Index: m.Header.ShNum, Name: list, NameOffset: uint32(at), Type: kind,
			Flags: cubin.FlagInfoLink, Link: symtab.Index, Info: target.Index, AddrAlign: 8, EntSize: uint64(entry)}
		m.Sections = append(m.Sections, cubin.ImageSection{Section: *section})
		m.Header.ShNum++
		m.Header.ShOff = (m.Size + 7) &^ 7
		m.Size = m.Header.ShOff + uint64(m.Header.ShNum)*cubin.SectionHeaderSize
	}
	move(m, section.Index, append(append([]byte(nil), m.Sections[section.Index].Data...), entries...))
	move(m, target.Index, contents)
	shareContents(m, target, uint64(len(contents)))
	var records []byte
	for _, y := range symbols {
		if y.Type == cubin.SymFunc && y.Section == target.Index {
			y.Size = uint64(len(contents))
		}
		records = cubin.AppendSymbol(records, y)
	}
	strtab := append([]byte(nil), m.Sections[symtab.Link].Data...)
	for _, y := range made {
		y.NameOffset = uint32(len(strtab))
		strtab = append(append(strtab, y.Name...), 0)
		records = cubin.AppendSymbol(records, y)
	}
	if len(made) > 0 {
		move(m, symtab.Link, strtab)
	}
	move(m, symtab.Index, records)
	file, err := m.Encode()
	return file, first, err
}

// imageOf returns the sections of a file of size bytes with their contents.
func imageOf(f *cubin.File, size int) (*cubin.Image, error) {
	m := &cubin.Image{Header: f.Header, Size: uint64(size)}
	for i, s := range f.Sections {
		data, err := f.Data(uint32(i))
		if err != nil {
			return nil, err
		}
		m.Sections = append(m.Sections, cubin.ImageSection{Section: s, Data: data})
	}
	return m, nil
}

// move places new contents of section i at the end of the file.
func move(m *cubin.Image, i uint32, data []byte) {
	s := &m.Sections[i]
	m.Size = (m.Size + 127) &^ 127
	s.Offset, s.Size, s.Data = m.Size, uint64(len(data)), data
	m.Size += s.Size
}

// shareContents changes the Mercury half of target, which uses the data of target, so that it refers to the
// new data of size bytes.
func shareContents(m *cubin.Image, target *cubin.Section, size uint64) {
	for i := range m.Sections {
		if s := &m.Sections[i]; s.Type == target.Type && s.Index != target.Index && s.Offset == target.Offset && target.Size > 0 && s.Size == target.Size {
			s.Offset, s.Size, s.Data = m.Sections[target.Index].Offset, size, nil
		}
	}
}

// A linking is a function that links one cubin. If status is not 0, there is no output, and text is the
// message.
type linking func(t testing.TB, file []byte, arch string, options []string) (output []byte, status int, text string)

// nvlink is the real linker.
func (c toolchain) nvlink(t testing.TB, file []byte, arch string, options []string) ([]byte, int, string) {
	t.Helper()
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.cubin"), filepath.Join(dir, "out.cubin")
	if err := os.WriteFile(in, file, 0o666); err != nil {
		t.Fatal(err)
	}
	status, text := c.run("nvlink", append(slices.Clone(options), "-arch="+arch, in, "-o", out)...)
	text = strings.ReplaceAll(text, in, "IN")
	if status != 0 {
		return nil, status, text
	}
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	return data, 0, text
}

// ask links a cubin with the questions and returns the answers.
func (link linking) ask(t testing.TB, base []byte, arch, site string, rela bool, questions []question, options ...string) ([]answer, int, string) {
	t.Helper()
	file, first, err := forge(base, site, rela, questions)
	if err != nil {
		t.Fatal(err)
	}
	data, status, text := link(t, file, arch, options)
	if status != 0 {
		return nil, status, text
	}
	answers, err := read(data, site, first, len(questions))
	if err != nil {
		t.Fatal(err)
	}
	return answers, 0, text
}

// read returns the answers to n questions whose first place is at offset first of section site.
func read(linked []byte, site string, first uint64, n int) ([]answer, error) {
	f, err := cubin.Open("linked", linked)
	if err != nil {
		return nil, err
	}
	target := f.Section(site)
	if target == nil {
		return nil, fmt.Errorf("section %s is not in the output", site)
	}
	data, err := f.Data(target.Index)
	if err != nil {
		return nil, err
	}
	if uint64(len(data)) < first+uint64(n)*placeSize {
		return nil, fmt.Errorf("section %s is too short in the output", site)
	}
	answers := make([]answer, n)
	for i := range answers {
		answers[i].Bytes = data[first+uint64(i)*placeSize:][:placeSize]
	}
	for i, s := range f.Sections {
		if s.Info != target.Index || s.Type != cubin.SectionRel && s.Type != cubin.SectionRela && s.Type != cubin.SectionMercRela {
			continue
		}
		symbols, err := f.SymbolsOf(s.Link)
		if err != nil {
			return nil, err
		}
		relocations, err := f.Relocations(uint32(i))
		if err != nil {
			return nil, err
		}
		for _, r := range relocations {
			if r.Offset < first || (r.Offset-first)/placeSize >= uint64(n) {
				continue
			}
			a := &answers[(r.Offset-first)/placeSize]
			a.Kept, a.Type, a.Addend, a.Symbol = true, r.Type, r.Addend, symbols[r.Symbol].Name
		}
	}
	return answers, nil
}
