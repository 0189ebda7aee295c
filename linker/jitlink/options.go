package jitlink

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/limit"
)

// Options begin with one dash and contain their value: "-arch=sm_90", "-g". They differ from those of nvlink.
// They are parsed in order. Parsing stops at the first invalid option. Conflicts are checked after the last one
// (JIT-010 to JIT-015). Most options are recognised by their prefix, whatever follows it. -g and -O must be
// whole words.

// Settings are the options of a link.
type Settings struct {
	Target      arch.Target // the last one; zero if it is invalid
	number      uint32      // the number of the last target, even of an unsupported one; 0 if it has none
	Arch        string      // as typed: "sm_90a"
	Relocatable bool
	Verbose     bool
	Time        bool
	Debug       bool
	LineInfo    bool
	// NoReservedShared omits the area of shared memory that is reserved for the system.
	NoReservedShared bool
	LTO              bool
	PTX              bool
	KernelsUsed      []string // each element is one name, including commas
	VariablesUsed    []string
	PTXASOptions     []string // for the compiler of PTX, in the given order
	Words            []string // all options, for the compiler of LTO inputs

	dialect              *dialect
	notes                []string  // for the info log
	level                string    // the last -O
	kind                 arch.Kind // of the target; Arch is its name as typed
	named                string
	targets              []string // all targets, as passed to the compiler of PTX, which uses the last one
	trace, virtual       bool
	specific             bool // the name of the target ends in 'a', in CUDA 12 also if there is no such target
	partial              bool // intermediate code becomes an input of the link instead of the whole program
	split, extendedSplit int
	nvvm                 string // mode of -nvvm-version
	jumpTables           string // value of -jump-table-density
	index                string // file of -uidx
	indexGiven           bool
}

// A failure is a result with its text for the error log.
type failure struct {
	result Result
	text   string
}

func failed(r Result, format string, args ...any) *failure {
	return &failure{r, fmt.Sprintf(format, args...)}
}

// An option is one row of the grammar. It has the prefix of its words, and their effect. value is the text
// after the prefix.
type option struct {
	word  string
	exact bool // the word must be equal to the prefix
	// If value is set, a word without a value leads to the error "missing option value".
	value bool
	set   func(s *Settings, value string) *failure
}

// compiler returns a setter that passes an option to ptxas under the given name.
func compiler(name string) func(*Settings, string) *failure {
	return func(s *Settings, value string) *failure {
		s.PTXASOptions = append(s.PTXASOptions, name, value)
		return nil
	}
}

// flag returns a setter for a switch.
func flag(field func(*Settings) *bool, forPTXAS ...string) func(*Settings, string) *failure {
	return func(s *Settings, _ string) *failure {
		*field(s) = true
		s.PTXASOptions = append(s.PTXASOptions, forPTXAS...)
		return nil
	}
}

// taken accepts an option that has no effect here. Some of these options affect code generation from LTO
// inputs; the compiler for those reads all words itself. The others affect NVIDIA's caches.
func taken(*Settings, string) *failure { return nil }

// options is the grammar. The first matching row applies (JIT-010).
var options = []option{
	{"-arch=", false, true, (*Settings).setArch},
	{"-maxrregcount=", false, true, compiler("-maxrregcount")},
	{"--device-stack-protector-frame-size-threshold=", false, true, compiler("--device-stack-protector-frame-size-threshold")},
	{"--device-stack-protector=", false, true, compiler("-device-stack-protector")},
	{"-Xptxas=", false, true, func(s *Settings, value string) *failure {
		s.PTXASOptions = append(s.PTXASOptions, value)
		return nil
	}},
	{"-Xnvvm=", false, true, taken},
	{"--Ofast-compile=", false, true, fastCompile},
	{"-Ofc=", false, true, fastCompile},
	{"-no-opt", false, false, taken},
	{"-disable-smem-reserve", false, false, flag(func(s *Settings) *bool { return &s.NoReservedShared })},
	{"-lineinfo", false, false, flag(func(s *Settings) *bool { return &s.LineInfo }, "-lineinfo")},
	{"-g", true, false, func(s *Settings, _ string) *failure {
		s.Debug = true
		s.PTXASOptions = append(s.PTXASOptions, s.dialect.release.Options.Debug...) // KIT-203
		return nil
	}},
	{"-dlto", false, false, flag(func(s *Settings) *bool { return &s.LTO })},
	{"-lto", false, false, flag(func(s *Settings) *bool { return &s.LTO })},
	{"-ptx", false, false, flag(func(s *Settings) *bool { return &s.PTX })},
	{"-r", false, false, flag(func(s *Settings) *bool { return &s.Relocatable })},
	{"-verbose", false, false, flag(func(s *Settings) *bool { return &s.Verbose }, "-v")},
	{"-time", false, false, flag(func(s *Settings) *bool { return &s.Time })},
	{"-ftz=", false, false, taken},
	{"-prec-div=", false, false, taken},
	{"-prec-sqrt=", false, false, taken},
	{"-fma=", false, false, taken},
	{"-kernels-used=", false, true, func(s *Settings, value string) *failure {
		s.KernelsUsed = append(s.KernelsUsed, value)
		return nil
	}},
	{"-variables-used=", false, true, func(s *Settings, value string) *failure {
		s.VariablesUsed = append(s.VariablesUsed, value)
		return nil
	}},
	{"-optimize-unused-variables", false, false, taken},
	{"--trace", false, false, flag(func(s *Settings) *bool { return &s.trace })},
	{"--no-cache", false, false, taken},
	{"-no-cache", false, false, taken},
	{"-uidx=", false, false, func(s *Settings, value string) *failure {
		s.index, s.indexGiven = value, true
		return nil
	}},
	{"-split-compile-extended=", false, true, func(s *Settings, value string) *failure {
		return s.splits(&s.extendedSplit, "-split-compile-extended", value)
	}},
	{"-split-compile=", false, false, func(s *Settings, value string) *failure {
		return s.splits(&s.split, "-split-compile", value)
	}},
	{"-jump-table-density=", false, false, func(s *Settings, value string) *failure {
		s.jumpTables = cmp.Or(s.jumpTables, value, "0") // the first one takes effect
		return nil
	}},
	{"-nvvm-version=", false, true, nvvmVersion},
}

// parse parses the options. fail is the failure of the first invalid word, or of a conflict.
func parse(d *dialect, words []string) (s *Settings, fail *failure) {
	s = &Settings{dialect: d, Words: slices.Clone(words), split: 1, extendedSplit: 1}
	for _, word := range words {
		if fail := s.word(word); fail != nil {
			return s, fail
		}
	}
	if 0 < s.number && s.number < d.deprecated {
		s.notes = append(s.notes, fmt.Sprintf("Architectures prior to '<compute/sm>_%d' are deprecated and may be removed in a future release\n", d.deprecated))
	}
	switch {
	case d.noOptimisedDebug && s.Debug && s.level == "3":
		return s, failed(IncompatibleOptions, "ERROR: optimized debugging not supported; use -O0 with -g\n")
	case s.Arch == "":
		return s, &failure{result: MissingArch}
	case d.ltoTargets && s.kind == arch.LTO:
		if s.PTX {
			return s, failed(IncompatibleOptions, "ERROR: -arch=%s conflicts with -ptx\n", s.named)
		}
	case s.virtual && !s.PTX && !d.acceptsVirtual:
		return s, failed(IncompatibleOptions, "ERROR: virtual arch requires -ptx\n")
	case s.PTX && !s.LTO:
		return s, failed(IncompatibleOptions, "ERROR: -ptx requires -lto\n")
	}
	if d.startsLate && s.Target == (arch.Target{}) {
		return s, failed(Internal, "ERROR 1: Start\n")
	}
	switch {
	case s.PTX && s.extendedSplit != 1:
		s.notes = append(s.notes, "'-ptx' is not compatible with '-split-compile-extended', using '-split-compile' instead\n")
	case s.split != 1 && s.extendedSplit != 1:
		s.notes = append(s.notes, "'-split-compile' is not compatible with '-split-compile-extended', using '-split-compile-extended'\n")
	}
	return s, nil
}

// isForCode reports whether linked intermediate code is the only result of the link (JIT-103).
func (s *Settings) isForCode() bool { return s.kind == arch.LTO && !s.PTX }

// word parses one option.
func (s *Settings) word(word string) *failure {
	for _, o := range options {
		value, ok := strings.CutPrefix(word, o.word)
		switch {
		case !ok || o.exact && value != "", slices.Contains(s.dialect.lacks, o.word):
		case o.value && value == "":
			return s.missingValue(word)
		default:
			return o.set(s, value)
		}
	}
	if level, ok := strings.CutPrefix(word, "-O"); ok && level != "" && level[0] >= '0' && level[0] <= '9' && (len(level) == 1 || s.dialect.anyLevel) {
		return s.setLevel(level[:1])
	}
	return failed(UnrecognizedOption, "unrecognized option: %s\n", word)
}

func (s *Settings) missingValue(word string) *failure {
	return failed(UnrecognizedOption, s.dialect.missingValue, word)
}

// setLevel parses -O0 and -O3, and other levels of early releases.
func (s *Settings) setLevel(level string) *failure {
	if level != "0" && level != "3" && !s.dialect.anyLevel {
		return failed(UnrecognizedOption, "unsupported value of -O: %s. Only 0 and 3 are supported.\n", level)
	}
	s.level = level
	s.PTXASOptions = append(s.PTXASOptions, "-O"+level)
	return nil
}

// setArch parses the target: a kind, a number as parsed by C's atoi, and a suffix. An invalid suffix is left to
// the compiler of PTX (JIT-012). The compiler gets every target (JIT-107).
func (s *Settings) setArch(value string) *failure {
	s.Target, s.Arch, s.number = arch.Target{}, "", 0
	for kind, prefix := range arch.Prefixes {
		text, ok := strings.CutPrefix(value, prefix)
		if !ok {
			continue
		}
		number, rest := atoi(text)
		if number == 0 {
			break
		}
		s.targets, s.number = append(s.targets, value), uint32(number)
		if s.dialect.startsLate {
			s.setLateArch(arch.Kind(kind), number, rest, text, value)
			return nil
		}
		if number < 0 || number > arch.MaxNumber {
			return failed(UnsupportedArch, "ERROR %v: unsupported architecture (-arch=%s)\n", UnsupportedArch, value)
		}
		virtual := arch.Prefixes[arch.Virtual] + strconv.Itoa(int(number))
		if strings.HasSuffix(rest, "a") {
			virtual += "a"
		}
		if s.dialect.checksFamilies && strings.HasSuffix(rest, "f") {
			virtual += "f"
		}
		if slices.Contains(s.dialect.unsupported, number) {
			return failed(UnsupportedArch, "ERROR %v: unsupported architecture (%s)\n", UnsupportedArch, virtual)
		}
		plain := arch.Prefixes[arch.Real] + strconv.Itoa(int(number))
		target, ok := s.dialect.release.Parse(plain)
		if !ok {
			return failed(UnrecognizedArch, "ERROR %v: unrecognized architecture (%s)\n", UnrecognizedArch, virtual)
		}
		target = s.exact(target, rest)
		s.take(target, arch.Kind(kind), text, value)
		if s.dialect.checksFamilies && strings.HasSuffix(rest, "f") && target.Suffix != 'f' {
			return failed(UnsupportedArch, "ERROR %v: unsupported architecture (%s)\n", UnsupportedArch, virtual)
		}
		return nil
	}
	return s.missingValue("-arch=" + value)
}

// take makes target the one of the link. value is its name as typed, and text the same without the prefix.
func (s *Settings) take(target arch.Target, kind arch.Kind, text, value string) {
	s.kind, s.named = kind, value
	s.Target, s.Arch, s.virtual = target, arch.Prefixes[arch.Real]+text, kind != arch.Real
}

// exact returns the target with a suffix if the last character of rest is a suffix. Otherwise it returns
// target.
func (s *Settings) exact(target arch.Target, rest string) arch.Target {
	plain := arch.Prefixes[arch.Real] + strconv.Itoa(target.Number)
	if exact, ok := s.dialect.release.Parse(plain + rest[max(0, len(rest)-1):]); ok {
		return exact
	}
	return target
}

// setLateArch is setArch in CUDA 12, which reports an unknown target only after all options were parsed
// (JIT-117).
func (s *Settings) setLateArch(kind arch.Kind, number int32, rest, text, value string) {
	target, known := s.dialect.release.Parse(arch.Prefixes[arch.Real] + strconv.Itoa(int(number)))
	if known {
		target = s.exact(target, rest)
	}
	s.take(target, kind, text, value)
	s.specific = strings.HasSuffix(rest, "a")
}

// atoi parses a number as C does: blanks, a sign, and digits. If the number is too long, its low 32 bits are
// used. rest is the remaining text.
func atoi(text string) (n int32, rest string) {
	text = strings.TrimLeft(text, " \t\n\v\f\r")
	signed := text
	if text != "" && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	rest = strings.TrimLeft(text, "0123456789")
	if len(rest) == len(text) {
		return 0, rest
	}
	long, _ := strconv.ParseInt(signed[:len(signed)-len(rest)], 10, 64) // a number out of range becomes the nearest one
	return int32(long), rest
}

// fastCompile parses -Ofc.
func fastCompile(s *Settings, value string) *failure {
	if !slices.ContainsFunc(s.dialect.fastLevels, func(v string) bool { return strings.HasPrefix(value, v) }) {
		return failed(UnrecognizedOption, "unsupported value of --Ofast-compile (-Ofc): %s. Only %s are supported.\n", value, s.dialect.fastList)
	}
	return compiler("-Ofc")(s, value)
}

// splits parses a number of parts.
func (s *Settings) splits(to *int, word, value string) *failure {
	n, _ := atoi(value)
	if n < 0 && !s.dialect.acceptsNegative {
		return failed(UnrecognizedOption, "argument for %s must be non-negative.\n", word)
	}
	*to = int(n)
	return nil
}

// nvvmVersion checks the value of -nvvm-version. The later versions select one mode, all other values select
// the other mode.
func nvvmVersion(s *Settings, value string) *failure {
	if strings.HasPrefix(value, "nvvm") {
		mode := "nvvm70"
		if strings.HasPrefix(value, "nvvm-latest") || strings.HasPrefix(value, "nvvm-next") {
			mode = "nvvm-latest"
		}
		if s.dialect.oneNVVM && s.nvvm != "" && s.nvvm != mode {
			return failed(UnrecognizedOption, "conflicting NVVM mode options: choose exactly one NVVM mode.\n")
		}
		s.nvvm = mode
		return nil
	}
	return failed(UnrecognizedOption, "argument for -nvvm-version must be either \"nvvm\" or \"nvvm70\" or \"nvvm-latest\" or \"nvvm-next\".%s", s.dialect.versionEnd)
}

// readIndex reads the file of -uidx. No valid index file is available, so every file is refused.
func (s *Settings) readIndex(budget *limit.Budget) (data []byte, fail *failure) {
	if !s.indexGiven {
		return nil, nil
	}
	data, there, fail := readFile(s.index, budget)
	switch {
	case fail != nil:
		return nil, fail
	case !there:
		return nil, failed(InvalidInput, "ERROR: File '%s' does not exist\n", s.index)
	case len(data) == 0:
		return nil, failed(InvalidInput, "ERROR: Could not read file '%s'\n", s.index)
	case s.dialect.indexMessage != "":
		return nil, failed(InvalidInput, s.dialect.indexMessage, s.index)
	}
	return data, nil
}
