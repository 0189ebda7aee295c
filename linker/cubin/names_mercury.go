package cubin

import (
	"strings"
)

// These are prefixes of the names of the copies of sections. The second one is for code.
const (
	MercuryPrefix = ".nv.merc"
	capsulePrefix = ".nv.capmerc"
)

// MercuryName returns the name of the copy of a plain section.
func MercuryName(name string) string {
	if strings.HasPrefix(name, CodePrefix) || strings.HasPrefix(name, StubPrefix) {
		return capsulePrefix + name
	}
	return MercuryPrefix + NameInMercury(name)
}

// namesInMercury maps prefixes of plain names to the prefixes in the Mercury half.
var namesInMercury = [...]struct{ plain, inner string }{
	{ParameterPrefix, ".nv.constant.entry_image_header_indices."}, // the slots of a kernel, if it has any
	{".nv.constant2.", ".nv.constant.optimizer."},
	{".nv.constant3", ".nv.constant.user"},
	{".nv.constant4", ".nv.constant.pic"},
}

// relocationPrefixes are the prefixes of the names of relocation sections. The name of the patched section
// follows.
var relocationPrefixes = [...]string{".rela", ".rel", ".nv.resolvedrela"}

// NameInMercury returns the name of a plain section in a file that has only the Mercury half.
func NameInMercury(name string) string {
	about := 0 // offset of the name of the patched section
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

// relocationPrefix returns the length of the relocation prefix of name, or 0 if there is none.
func relocationPrefix(name string) int {
	for _, prefix := range relocationPrefixes {
		if n := len(prefix); strings.HasPrefix(name, prefix) && len(name) > n && name[n] == '.' {
			return n
		}
	}
	return 0
}

// IsMercuryRelocations reports whether name is the name of a relocation section with addends, for the Mercury
// copy of the section called plain.
func IsMercuryRelocations(name, plain string) bool {
	rest, ok := strings.CutPrefix(name, MercuryPrefix+".rela")
	return ok && rest == NameInMercury(plain)
}
