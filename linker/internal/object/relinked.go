package object

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// nvlink -r resolves operands in constant banks and in shared memory, and drops their relocations. A later link
// may move the targets all the same (RELOC-402). With --preserve-relocs nvlink records the resolved relocations,
// so that they can be restored.

// LostRelocations reports whether o comes from a link with -r that dropped relocations.
func (o *Object) LostRelocations() bool { return o.lost }

// findLost reports whether o has lost relocations. The tool note of o records the options of the earlier link.
func (o *Object) findLost() bool {
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

// NotesRelocations reports whether o has records of its dropped relocations.
func (o *Object) NotesRelocations() bool {
	return o.LostRelocations() && len(o.notes()) > 0
}

// notes returns the sections in which --preserve-relocs recorded the resolved relocations.
func (o *Object) notes() (list []uint32) {
	for i := range o.File.Sections {
		s := &o.File.Sections[i]
		if (s.Type == cubin.SectionResolvedRela || s.Type == cubin.SectionMercResolved) && int(s.Info) < len(o.File.Sections) {
			list = append(list, uint32(i))
		}
	}
	return list
}

// RestoreRelocations restores the dropped relocations of o from their records (RELOC-405).
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
