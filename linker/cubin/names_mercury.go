package cubin

import (
	"strings"
)

// CopyName is the name of the copy of a plain section.
func CopyName(name string) string {
	if strings.HasPrefix(name, ".text.") {
		return ".nv.capmerc" + name
	}
	return mercuryPrefix + InnerName(name)
}

// innerNames are beginnings of plain names and what Mercury says for them.
var innerNames = [...]struct{ plain, inner string }{
	{ParameterPrefix, ".nv.constant.entry_image_header_indices."}, // the slots of a kernel that has some
	{".nv.constant2.", ".nv.constant.optimizer."},
	{".nv.constant3", ".nv.constant.user"},
	{".nv.constant4", ".nv.constant.pic"},
}

// InnerName is the name that a plain section has where only the Mercury half is.
func InnerName(name string) string {
	for _, relocations := range []string{".rela", ".rel", ".nv.resolvedrela"} {
		if target, ok := strings.CutPrefix(name, relocations+"."); ok {
			return relocations + InnerName("."+target)
		}
	}
	for _, n := range innerNames {
		if rest, ok := strings.CutPrefix(name, n.plain); ok {
			return n.inner + rest
		}
	}
	return name
}
