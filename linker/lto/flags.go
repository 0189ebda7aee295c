package lto

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/diag"
)

// nvcc notes in the fat binary how an object was compiled: -maxreg, -generate-line-info,
// -ftz and its kin. One program has one set of these, so that the objects of a link have
// to agree; a file of intermediate code that stands in no fat binary notes nothing, and
// agrees with all (LTO-020).

// Flags is the text that a fat binary notes for an object, "-ftz=0 -prec_div=1 ".
type Flags struct {
	Text  string
	Noted bool // the code is in a fat binary; the text may be empty
}

// arithmetic are the flags with a number: as a fat binary writes them, as messages and
// compilers do.
var arithmetic = []struct{ noted, name, option string }{
	{"-ftz=", "-ftz", "-ftz="},
	{"-prec_div=", "-prec-div", "-prec-div="},
	{"-prec_sqrt=", "-prec-sqrt", "-prec-sqrt="},
	{"-fmad=", "-fmad", "-fma="},
}

// Agree sets the options that objects with these flags demand. limit is the register count
// of the command line; unless 0 it is the one that counts. What nvlink says of objects that
// do not agree goes to log, a fatal message last.
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

// everyNotedHas leaves out the code that notes nothing.
func everyNotedHas(all []Flags, flag string) bool {
	for _, f := range all {
		if f.Noted && !strings.Contains(f.Text, flag) {
			return false
		}
	}
	return true
}

// valueOf is the number after a flag, in each text the first; agree is false when two
// texts differ.
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

// leadingNumber reads what C's atoi does; 0 where there is no number.
func leadingNumber(text string) int {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	end := 0
	for end < len(text) && ('0' <= text[end] && text[end] <= '9' || end == 0 && (text[end] == '-' || text[end] == '+')) {
		end++
	}
	n, _ := strconv.ParseInt(text[:end], 10, 32)
	return int(n)
}
