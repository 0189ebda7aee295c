package cubin

import (
	"strings"
)

// MercuryName is the name of the copy of a plain section.
func MercuryName(name string) string {
	if strings.HasPrefix(name, ".text.") {
		return ".nv.capmerc" + name
	}
	return mercuryPrefix + NameInMercury(name)
}

// namesInMercury are beginnings of plain names and what Mercury says for them.
var namesInMercury = [...]struct{ plain, inner string }{
	{ParameterPrefix, ".nv.constant.entry_image_header_indices."}, // the slots of a kernel that has some
	{".nv.constant2.", ".nv.constant.optimizer."},
	{".nv.constant3", ".nv.constant.user"},
	{".nv.constant4", ".nv.constant.pic"},
}

// NameInMercury is the name that a plain section has where only the Mercury half is.
func NameInMercury(name string) string {
	for _, relocations := range []string{".rela", ".rel", ".nv.resolvedrela"} {
		if target, ok := strings.CutPrefix(name, relocations+"."); ok {
			return relocations + NameInMercury("."+target)
		}
	}
	for _, n := range namesInMercury {
		if rest, ok := strings.CutPrefix(name, n.plain); ok {
			return n.inner + rest
		}
	}
	return name
}
