package conformance

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/nvinfo"
)

// A file says which release linked it: in the tool's own note, in the note of its origin, and in
// .nv.compat, of whose records each release writes its choice. Where two releases differ in nothing
// else, the file of one follows from that of the other: its text form, with other lines
// there, and with all places derived anew.

// compatSection holds what the code of a file relies on.
const compatSection = ".nv.compat"

// stamped is the outcome of a link by the release from, with the notes of the one that judges it.
func stamped(ctx context.Context, o Outcome, from *arch.Profile, link Link) Outcome {
	files := Files{}
	for name, data := range o.Files {
		files[name] = stampedFile(ctx, data, from, link)
	}
	o.Files = files
	return o
}

// stampedFile is a cubin of the release from with the notes of the one that judges the link. What
// is no linked cubin stays as it is.
func stampedFile(ctx context.Context, data []byte, from *arch.Profile, link Link) []byte {
	to := link.Toolkit
	f, err := cubin.Open("stamped", data)
	if err != nil || f.Section(toolNote) == nil {
		return data
	}
	var out strings.Builder
	section, isNamed := "", false
	for line := range strings.Lines(cubintext.Format(data)) {
		words := strings.Fields(line)
		switch {
		case words[0] == "section":
			section = words[1]
			out.WriteString(line)
			if section == compatSection {
				fmt.Fprintf(&out, "\thex %x\n", stampedCompat(ctx, f, link))
			}
			continue
		case section == compatSection:
			continue
		case words[0] == "tkinfo" && !isNamed:
			line = strings.Replace(line, strconv.Quote(from.Release), strconv.Quote(to.Release), 1)
			line = strings.Replace(line, strconv.Quote(from.Build), strconv.Quote(to.Build), 1)
			isNamed = true
		case words[0] == "cuinfo":
			line = stampedOrigin(words, to)
		}
		out.WriteString(line)
	}
	file, err := cubintext.Parse("stamped", out.String())
	if err != nil {
		return data
	}
	return file
}

// stampedOrigin is the line of a .note.nv.cuinfo with another release.
func stampedOrigin(words []string, to *arch.Profile) string {
	words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "toolkit=") })
	return fmt.Sprintf("\t%s toolkit=%d\n", strings.Join(words, " "), to.API)
}

// stampedCompat is the .nv.compat of a file as the release that judges the link merges it. A file
// without records but the linker's own was made of objects without any.
func stampedCompat(ctx context.Context, f *cubin.File, link Link) []byte {
	records, _ := compatOf(f)
	if len(records) < 2 {
		return nvinfo.Encode(records)
	}
	target := arch.Target{Number: int(f.Flags >> 8 & 0xff), Profile: link.Toolkit}
	if records[0].Value != 0 {
		target.Suffix = 'a'
	}
	inputs := [][]nvinfo.Record{}
	if asked, _, err := link.asked(ctx); err == nil {
		for _, in := range asked.Inputs {
			if g, err := cubin.Open(in.Name, in.Data); err == nil && !in.System {
				if said, ok := compatOf(g); ok {
					inputs = append(inputs, said)
				}
			}
		}
	}
	merged, _ := nvinfo.MergeCompat(target, inputs)
	return nvinfo.Encode(merged)
}

// compatOf returns the records of .nv.compat of a file, if it has the section.
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
