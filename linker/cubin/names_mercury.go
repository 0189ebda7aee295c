package cubin

import (
	"strings"
)

// The names of the copies of sections begin with one of these: those of code with the second.
const (
	MercuryPrefix = ".nv.merc"
	capsulePrefix = ".nv.capmerc"
)

// MercuryName is the name of the copy of a plain section.
func MercuryName(name string) string {
	if strings.HasPrefix(name, CodePrefix) || strings.HasPrefix(name, StubPrefix) {
		return capsulePrefix + name
	}
	return MercuryPrefix + NameInMercury(name)
}

// namesInMercury are beginnings of plain names and what Mercury says for them.
var namesInMercury = [...]struct{ plain, inner string }{
	{ParameterPrefix, ".nv.constant.entry_image_header_indices."}, // the slots of a kernel that has some
	{".nv.constant2.", ".nv.constant.optimizer."},
	{".nv.constant3", ".nv.constant.user"},
	{".nv.constant4", ".nv.constant.pic"},
}

// relocationPrefixes begin the names of sections of relocations; the name of what they are about follows.
var relocationPrefixes = [...]string{".rela", ".rel", ".nv.resolvedrela"}

// NameInMercury is the name that a plain section has where only the Mercury half is.
func NameInMercury(name string) string {
	about := 0 // where the name begins of what relocations are about
	for n := -1; n != 0; about += n {
		n = relocationPrefix(name[about:])
	}
	for _, n := range namesInMercury {
		if rest, ok := strings.CutPrefix(name[about:], n.plain); ok {
			return name[:about] + n.inner + rest
		}
	}
	return name
}

// relocationPrefix is the length of the one that name begins with; 0 for none.
func relocationPrefix(name string) int {
	for _, prefix := range relocationPrefixes {
		if n := len(prefix); strings.HasPrefix(name, prefix) && len(name) > n && name[n] == '.' {
			return n
		}
	}
	return 0
}

// IsMercuryRelocations reports whether name is that of the relocations, with addends, of the copy
// of a section whose plain name is given.
func IsMercuryRelocations(name, plain string) bool {
	rest, ok := strings.CutPrefix(name, MercuryPrefix+".rela")
	return ok && rest == NameInMercury(plain)
}
