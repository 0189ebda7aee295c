package cubintext

import "github.com/culink/culink/linker/cubin"

// Flags of sections and segments are written as letters, as in readelf, or as a number.

// letters contains the flags that have a letter.
type letters []struct {
	letter byte
	bit    uint64
}

var sectionFlags = letters{{'W', cubin.FlagWrite}, {'A', cubin.FlagAlloc}, {'X', cubin.FlagExec}, {'I', cubin.FlagInfoLink}}

// word returns the letters of flags. It returns a number if there are no flags, or if one of them
// has no letter.
func (l letters) word(flags uint64) word {
	var s []byte
	rest := flags
	for _, f := range l {
		if flags&f.bit != 0 {
			s = append(s, f.letter)
			rest &^= f.bit
		}
	}
	if rest != 0 || len(s) == 0 {
		return number(flags)
	}
	return bare(string(s))
}

// number parses the result of word.
func (l letters) number(s string) (flags uint64, ok bool) {
	if v, ok := parseNumber(s); ok {
		return v, true
	}
next:
	for i := range len(s) {
		for _, f := range l {
			if f.letter == s[i] {
				flags |= f.bit
				continue next
			}
		}
		return 0, false
	}
	return flags, s != ""
}
