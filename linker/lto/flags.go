package lto

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/diag"
)

// nvcc records in the fat binary how an object was compiled: -maxreg, -generate-line-info, -ftz and similar
// options. A program can have only one set of these options, so that the objects of a link must agree. A file
// of intermediate code outside a fat binary records nothing, and agrees with all others (LTO-020).

// Flags holds the text that a fat binary records for an object, as "-ftz=0 -prec_div=1 ".
type Flags struct {
	Text  string
	Noted bool // the code is in a fat binary; the text may be empty
}

// arithmetic lists the flags with a number. Each has its spelling in fat binaries, in messages, and for
// compilers.
var arithmetic = []struct{ noted, name, option string }{
	{"-ftz=", "-ftz", "-ftz="},
	{"-prec_div=", "-prec-div", "-prec-div="},
	{"-prec_sqrt=", "-prec-sqrt", "-prec-sqrt="},
	{"-fmad=", "-fmad", "-fma="},
}

// Agree sets the options that objects with these flags require. limit is the register count of the command
// line. Unless it is 0, it takes precedence. If objects do not agree, nvlink's messages about this are added
// to log. If there is a fatal message, it is the last one.
func (o *Options) Agree(all []Flags, limit int, log *diag.Log) {
	o.LineInfo = anyHas(all, "-generate-line-info")
	if o.LineInfo && !everyNotedHas(all, "-generate-line-info") {
		log.Report(diag.SomeWithoutFlag, "-lineinfo", "-lineinfo")
	}
	o.MaxRegisters = limit
	if limit == 0 {
		count, agree := valueOf(all, "-maxreg ")
		switch {
		case !agree:
			log.Report(diag.FlagsDiffer, "-maxrregcount")
			return
		case anyHas(all, "-maxreg ") && !everyNotedHas(all, "-maxreg "):
			log.Report(diag.SomeWithoutValue, "-maxrregcount", "-maxrregcount", count)
		}
		o.MaxRegisters = count
	}
	o.MaxRegisters = max(o.MaxRegisters, 0)
	for _, flag := range arithmetic {
		value, agree := valueOf(all, flag.noted)
		if !agree {
			log.Report(diag.FlagsDiffer, flag.name)
			return
		}
		if everyHas(all, flag.noted) {
			o.Arithmetic = append(o.Arithmetic, fmt.Sprint(flag.option, value))
		}
	}
}

func anyHas(all []Flags, flag string) bool {
	for _, f := range all {
		if strings.Contains(f.Text, flag) {
			return true
		}
	}
	return false
}

func everyHas(all []Flags, flag string) bool {
	for _, f := range all {
		if !strings.Contains(f.Text, flag) {
			return false
		}
	}
	return true
}

// everyNotedHas reports whether all code that records flags has the given flag.
func everyNotedHas(all []Flags, flag string) bool {
	for _, f := range all {
		if f.Noted && !strings.Contains(f.Text, flag) {
			return false
		}
	}
	return true
}

// valueOf returns the number after the first occurrence of a flag in each text. agree is false if two texts
// differ.
func valueOf(all []Flags, flag string) (value int, agree bool) {
	found := false
	for _, f := range all {
		_, rest, ok := strings.Cut(f.Text, flag)
		if !ok {
			continue
		}
		v := leadingNumber(rest)
		if found && v != value {
			return 0, false
		}
		found, value = true, v
	}
	return value, true
}

// leadingNumber parses a number as C's atoi does. It returns 0 if there is none.
func leadingNumber(text string) int {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	end := 0
	for end < len(text) && ('0' <= text[end] && text[end] <= '9' || end == 0 && (text[end] == '-' || text[end] == '+')) {
		end++
	}
	n, _ := strconv.ParseInt(text[:end], 10, 32)
	return int(n)
}
