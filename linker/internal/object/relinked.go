package object

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// LostRelocations tells by its tool note whether o comes from such a link:
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
