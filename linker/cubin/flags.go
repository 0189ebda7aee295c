package cubin

import (
	"fmt"
	"strings"
)

// SectionFlags are the sh_flags of a section: bits of the Flag constants.
type SectionFlags uint64

// flagNames contains the flags of one bit, lowest bit first.
var flagNames = [...]struct {
	flag SectionFlags
	name string
}{
	{FlagWrite, "write"}, {FlagAlloc, "alloc"}, {FlagExec, "exec"}, {FlagInfoLink, "info link"},
	{FlagCUInfo, "cuinfo"}, {FlagTKInfo, "tkinfo"}, {FlagMercury, "mercury"},
}

// String returns the names of the flags: "alloc+exec", "none". Bits without a name are printed as a number.
func (f SectionFlags) String() string {
	var names []string
	for _, n := range flagNames {
		if f&n.flag != 0 {
			names = append(names, n.name)
			f &^= n.flag
		}
	}
	if f != 0 {
		names = append(names, fmt.Sprintf("%#x", uint64(f)))
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, "+")
}

// A Space is a memory space. It has the encoding of the high bits of st_other: one of the constants whose names
// begin with Other, or 0 for a symbol without a memory space.
type Space uint8

var spaceNames = map[Space]string{
	0: "none", OtherGlobal: "global", OtherShared: "shared", OtherLocal: "local",
	OtherConstant: "constant", OtherReserved: "reserved shared",
}

// String returns the name of the space: "shared". An unknown space is printed as a number.
func (s Space) String() string {
	if name, ok := spaceNames[s]; ok {
		return name
	}
	return fmt.Sprintf("%#x", uint8(s))
}

var bindingNames = map[Binding]string{BindLocal: "local", BindGlobal: "global", BindWeak: "weak"}

// String returns the name of the binding: "weak". An unknown binding is printed as a number.
func (b Binding) String() string {
	if name, ok := bindingNames[b]; ok {
		return name
	}
	return fmt.Sprint(uint8(b))
}

var symbolTypeNames = map[SymbolType]string{
	SymNone: "none", SymObject: "object", SymFunc: "function", SymSection: "section",
	SymTexture: "texture", SymSampler: "sampler", SymSurface: "surface", SymData: "variable",
}

// String returns the name of the type: "function". An unknown type is printed as a number.
func (t SymbolType) String() string {
	if name, ok := symbolTypeNames[t]; ok {
		return name
	}
	return fmt.Sprint(uint8(t))
}
