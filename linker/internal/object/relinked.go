package object

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// nvlink -r settles operands in constant banks and in shared memory and drops their
// relocations, although a later link may move what they name (RELOC-402). With
// --preserve-relocs it notes what it settled: from the notes the relocations come back.

// LostRelocations reports by its tool note whether o comes from such a link:
// --keep-relocs is recorded there as well.
func (o *Object) LostRelocations() bool {
	for i := range o.File.Sections {
		if s := &o.File.Sections[i]; s.Type != cubin.SectionNote || s.Name != ".note.nv.tkinfo" {
			continue
		}
		notes, _ := o.File.Notes(uint32(i))
		for _, n := range notes {
			tool, err := nvinfo.DecodeToolInfo(n.Desc)
			if options := strings.Fields(tool.Options); err == nil && slices.Contains(options, "-r") {
				return !slices.Contains(options, "-keep-relocs")
			}
		}
	}
	return false
}

// NotesRelocations reports whether o notes relocations that it has lost.
func (o *Object) NotesRelocations() bool {
	return o.LostRelocations() && len(o.notes()) > 0
}

// notes are the sections in which --preserve-relocs noted what was settled.
func (o *Object) notes() (list []uint32) {
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if (s.Type == cubin.SectionResolvedRela || s.Type == cubin.SectionMercResolved) && int(s.Info) < len(o.File.Sections) {
			list = append(list, uint32(i))
		}
	}
	return list
}

// RestoreRelocations takes the notes of what o lost as the relocations that they were
// (RELOC-405).
func (o *Object) RestoreRelocations() error {
	if o.Unreadable != "" || !o.LostRelocations() {
		return nil
	}
	for _, i := range o.notes() {
		if err := o.checkRelocations(i); err != nil {
			return err
		}
	}
	o.restored = true
	return nil
}
