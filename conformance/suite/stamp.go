package suite

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/nvinfo"
)

// Four parts of a linked file depend on the release: the tool note; the origin note; .nv.compat, whose records differ
// between releases; and the tables of names, which up to 13.4 contain the names of sections that do not exist (KIT-022).
// If two releases differ in nothing else, the file of one can be derived from that of the other. The lines about these
// parts are replaced in the text form, and all offsets are computed again.

// compatSection is the section that lists the features required by the code of a file.
const compatSection = ".nv.compat"

// A stamp changes the notes of linked files to those of another release.
type stamp struct {
	from, to *arch.Profile
	inputs   []*cubin.File // inputs of the link, without those of libcudadevrt
}

// stamped returns an outcome of one release with the notes of another one. from is the release of the outcome, and link
// has the other release.
func stamped(ctx context.Context, o attempt.Outcome, from *arch.Profile, link attempt.Link) attempt.Outcome {
	if len(o.Files) == 0 {
		return o
	}
	s := &stamp{from, link.Toolkit, inputsOf(ctx, link)}
	files := attempt.Files{}
	for name, data := range o.Files {
		files[name] = s.file(data)
	}
	o.Files = files
	return o
}

// inputsOf opens the inputs of a link, without those of libcudadevrt.
func inputsOf(ctx context.Context, link attempt.Link) (inputs []*cubin.File) {
	asked, err := link.Asked(ctx)
	if err != nil {
		return nil
	}
	for _, in := range asked.Inputs {
		if f, err := cubin.Open(in.Name, in.Data); err == nil && !in.System {
			inputs = append(inputs, f)
		}
	}
	return inputs
}

// file returns a cubin with the notes of release s.to. It returns other files unchanged.
func (s *stamp) file(data []byte) []byte {
	f, err := cubin.Open("stamped", data)
	if err != nil || f.Section(nvinfo.ToolNote) == nil {
		return data
	}
	file, err := cubintext.Parse("stamped", s.text(f, cubintext.Format(data)))
	if err != nil {
		return data
	}
	return file
}

// text returns the text form of f with the lines about the release changed to those of s.to.
func (s *stamp) text(f *cubin.File, text string) string {
	var out strings.Builder
	unused := s.unusedRels(f)
	section, isNamed := "", false
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		switch {
		case words[0] == "section":
			section = words[1]
			if section == compatSection {
				line += fmt.Sprintf("\thex %x\n", s.compat(f))
			}
		case section == compatSection:
			line = ""
		case words[0] == "str":
			line = withoutNames(line, unused)
		case words[0] == "tkinfo" && !isNamed:
			line = strings.Replace(line, strconv.Quote(s.from.Release), strconv.Quote(s.to.Release), 1)
			line = strings.Replace(line, strconv.Quote(s.from.Build), strconv.Quote(s.to.Build), 1)
			isNamed = true
		case words[0] == "cuinfo":
			line = stampedOrigin(words, s.to)
		}
		out.WriteString(line)
	}
	return out.String()
}

// unusedRels returns names of .rel sections that must be removed from the name tables of f, if release s.to does not
// write such names. Such a name follows the name of a .rela section, and neither f nor an input has the .rel section
// (EMIT-004).
func (s *stamp) unusedRels(f *cubin.File) (unused []string) {
	if !s.from.Emit.NamesUnusedRel || s.to.Emit.NamesUnusedRel {
		return nil
	}
	table, err := f.Data(f.ShStrNdx)
	if err != nil {
		return nil
	}
	seen := map[string]bool{}
	for name := range strings.SplitSeq(string(table), "\x00") {
		of, isRel := strings.CutPrefix(name, ".rel.")
		isSection := func(in *cubin.File) bool { return in.Section(name) != nil }
		if isRel && seen[".rela."+of] && !isSection(f) && !slices.ContainsFunc(s.inputs, isSection) {
			unused = append(unused, name)
		}
		seen[name] = true
	}
	return unused
}

// withoutNames removes names from a line of a name table.
func withoutNames(line string, gone []string) string {
	words := strings.Fields(line)
	left := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(gone, w) })
	if len(left) == len(words) {
		return line
	}
	return "\t" + strings.Join(left, " ") + "\n"
}

// stampedOrigin returns a line of .note.nv.cuinfo with the release replaced. words are the words of the old line.
func stampedOrigin(words []string, to *arch.Profile) string {
	words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "toolkit=") })
	return fmt.Sprintf("\t%s toolkit=%d\n", strings.Join(words, " "), to.API)
}

// compat returns the section .nv.compat that release s.to would write for f. If a file has only the linker's own record,
// its inputs have no records.
func (s *stamp) compat(f *cubin.File) []byte {
	records, _ := compatOf(f)
	if len(records) < 2 {
		return nvinfo.Encode(records)
	}
	target := arch.Target{Number: int(f.Flags >> 8 & 0xff), Profile: s.to}
	if records[0].Value != 0 {
		target.Suffix = 'a'
	}
	inputs := [][]nvinfo.Record{}
	for _, in := range s.inputs {
		if said, ok := compatOf(in); ok {
			inputs = append(inputs, said)
		}
	}
	merged, _ := nvinfo.MergeCompat(target, inputs)
	return nvinfo.Encode(merged)
}

// compatOf returns the records of .nv.compat of a file, and whether it has the section.
func compatOf(f *cubin.File) ([]nvinfo.Record, bool) {
	i := slices.IndexFunc(f.Sections, func(s cubin.Section) bool { return s.Name == compatSection })
	if i < 0 {
		return nil, false
	}
	data, err := f.Data(uint32(i))
	if err != nil {
		return nil, false
	}
	records, err := nvinfo.Decode(data)
	return records, err == nil
}
