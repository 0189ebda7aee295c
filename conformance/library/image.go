package library

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// Three texts identify an image: a hash of its sections, without their file offsets and without the note that names the
// tool; the strings of that note; and a hash of all bytes. So a library that writes another note can still have the
// right image.

// toolNote is the section that names the tools that wrote a file.
const toolNote = ".note.nv.tkinfo"

// sumLength is the number of digits of a hash that are kept.
const sumLength = 24

func sum(data []byte) string {
	digest := sha256.Sum256(data)
	return hex.EncodeToString(digest[:])[:sumLength]
}

// imageSum returns the hash of a cubin. For any other data it is the hash of the bytes.
func imageSum(data []byte) string {
	f, err := cubin.Open("image", data)
	if err != nil {
		return sum(data)
	}
	var seen []byte
	note := func(values ...any) { seen = fmt.Appendln(seen, values...) }
	note(f.OSABI, f.ABIVersion, f.Type, f.Version, f.Entry, f.Flags, f.ShNum, f.ShStrNdx)
	for i := range f.Sections {
		s := &f.Sections[i]
		note(s.Name, s.Type, uint64(s.Flags), s.Addr, s.Link, s.Info, s.AddrAlign, s.EntSize)
		if s.Name == toolNote {
			notes, _ := f.Notes(uint32(i))
			for _, n := range notes[min(1, len(notes)):] { // notes of other tools
				seen = append(seen, n.Desc...)
			}
			continue
		}
		note(s.Size)
		if content, err := f.Data(uint32(i)); err == nil {
			seen = append(seen, content...)
		}
	}
	return sum(seen)
}

// noteText returns the strings of the first tool note of a cubin: object, tool, release, build and options. The first
// note is the linker's.
func noteText(data []byte) string {
	f, err := cubin.Open("image", data)
	if err != nil {
		return "no cubin"
	}
	for i := range f.Sections {
		if f.Sections[i].Name != toolNote {
			continue
		}
		notes, err := f.Notes(uint32(i))
		if err != nil || len(notes) == 0 {
			return "no note"
		}
		t, err := nvinfo.DecodeToolInfo(notes[0].Desc)
		if err != nil {
			return err.Error()
		}
		return strings.Join([]string{t.Object, t.Tool, t.Release, t.Build, t.Options}, "|")
	}
	return "no note"
}
