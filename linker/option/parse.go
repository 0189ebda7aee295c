// Package option parses the command line of nvlink 13.0.88.
//
// One table, [Table], contains every option. The parser, the help, the option string of the tool note and
// docs/options.md are derived from it. [Parse] turns the arguments into [Settings] and stops at the first
// invalid one. [Settings.Check] then finds conflicting options.
//
// The syntax is as follows (docs/rules.md, OPT-*). A long name follows two dashes, a short name one dash, and
// neither may be abbreviated. A value is the next word, or follows '='. Only -l, -L and -m accept a value
// directly after the name. Every other word is an input.
package option

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/platform"
)

// Parse parses the arguments as the default release on Linux does. The arguments may select another release or
// platform. See [ParseFor].
func Parse(args []string, readFile func(name string) ([]byte, error)) (*Settings, []diag.Diagnostic) {
	return ParseFor(arch.Default, platform.Linux, args, readFile)
}

// ParseFor parses arguments, without the program's name, as the nvlink of a release on a platform does.
// --toolkit selects another release (KIT-002), and --platform another platform (WIN-040). If host is nil, the
// platform is that of the running system. readFile returns the contents of a response file, or an error if it
// cannot be opened (see [ReadFile]).
//
// The diagnostics are the messages that nvlink prints while it parses: warnings, and at most one fatal message
// at the end. After a fatal message the settings must not be used. -Werror, -report-arch and -tool-name do not
// affect these messages (OPT-018).
func ParseFor(toolkit *arch.Profile, host *platform.Platform, args []string, readFile func(name string) ([]byte, error)) (*Settings, []diag.Diagnostic) {
	p := parser{
		readFile: readFile,
		settings: Settings{
			Toolkit: toolkit, Platform: host.Or(),
			Machine: 64, CPUArch: "unknown", SplitCompile: 1, SplitCompileExtended: 1,
			given: make(map[string]bool),
		},
	}
	err := p.chooseToolkit(args)
	if named, ok := platform.Find(NamedPlatform(args)); ok {
		p.settings.Platform = named
	}
	if err == nil {
		err = p.words(args)
	}
	if err != nil {
		var d diag.Diagnostic
		if !errors.As(err, &d) {
			d = diag.New(diag.InternalError, err.Error())
		}
		p.said = append(p.said, d)
		p.shownAnyway(args)
	}
	return &p.settings, p.said
}

// shownAnyway reads the options that determine how messages are shown. It finds them at any position, even in
// an invalid command line (OPT-503, DIAG-502).
func (p *parser) shownAnyway(words []string) {
	for _, word := range words {
		switch word {
		case "--json":
			p.settings.JSON = true
		case "--advice", "--advice=yes":
			p.settings.Advice = "yes"
		case "--advice=no":
			p.settings.Advice = "no"
		}
	}
}

type parser struct {
	readFile func(string) ([]byte, error)
	settings Settings
	said     []diag.Diagnostic
	depth    int    // currently open response files
	included int    // bytes of response files read so far
	opened   uint64 // response files opened so far
}

// limit sets limits (OPT-512).
func (p *parser) limit(words []string) error {
	for _, word := range words {
		if err := p.settings.Limits.Set(word); err != nil {
			return diag.New(diag.ValueNotDefined, word, "limit").Because(err)
		}
	}
	return nil
}

// words parses the words of the command line, or of one response file. The value of an option must be in the
// same list of words (OPT-016).
func (p *parser) words(words []string) error {
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if !isOption(word) {
			p.settings.Inputs = append(p.settings.Inputs, word)
			continue
		}
		spelled, value, hasValue := strings.Cut(word, "=")
		o := find(p.settings.Toolkit, spelled)
		if o == nil || o.On != nil && !p.settings.Platform.IsA(o.On) {
			if o = attached(p.settings.Toolkit, word); o == nil {
				return diag.New(diag.UnknownOption, spelled[1:])
			}
			spelled, value, hasValue = word[:2], word[2:], true
		}
		if p.settings.Toolkit.Options.EmptyTakesNext && hasValue && value == "" && o.Kind != Switch && !o.Own { // KIT-620
			hasValue = false
		}
		switch {
		case o.Kind == Switch && hasValue:
			return diag.New(diag.NoArgumentExpected, spelled)
		case o.Kind == Switch, hasValue:
		case o.Bare != "" && (o.Own || len(words) == 0 || isOption(words[0])):
			value = o.Bare
		case len(words) == 0:
			return diag.New(diag.ArgumentExpected, spelled)
		default:
			value, words = words[0], words[1:]
		}
		if err := p.set(o, value); err != nil {
			return err
		}
	}
	return nil
}

// isOption reports whether word is an option and not an input. "-" is an input (OPT-003).
func isOption(word string) bool { return len(word) > 1 && word[0] == '-' }

// find returns the option that is written as "-short" or "--long" (OPT-001).
func find(toolkit *arch.Profile, spelled string) *Option {
	if long, ok := strings.CutPrefix(spelled, "--"); ok {
		return byLong(toolkit, long)
	}
	return byShort(toolkit, spelled[1:])
}

// attached returns the option whose value directly follows its short name (OPT-004).
func attached(toolkit *arch.Profile, word string) *Option {
	if o := byShort(toolkit, word[1:2]); o != nil && o.Attached {
		return o
	}
	return nil
}

// set stores one value of o.
func (p *parser) set(o *Option, text string) error {
	choices := o.Values(p.settings.Toolkit)
	again := p.settings.given[o.Long]
	p.settings.given[o.Long] = true
	differs := false
	switch field := o.field(&p.settings).(type) {
	case *[]string:
		items, err := splitList(p.settings.Toolkit.Options.BracketLists, text)
		if err != nil {
			return err
		}
		*field = append(*field, items...)
		switch field {
		case &p.settings.ResponseFiles:
			return p.include(items)
		case &p.settings.LimitWords:
			return p.limit(items)
		}
	case *string:
		if o.Kind == Choice && !slices.Contains(choices, text) {
			return diag.New(diag.ValueNotDefined, text, o.Long)
		}
		differs, *field = *field != text, text
	case *int32:
		n, err := parseNumber(text)
		if err != nil {
			return err
		}
		if choices != nil && !slices.Contains(choices, strconv.Itoa(int(n))) {
			return diag.New(diag.ValueNotDefined, text, o.Long)
		}
		differs, *field = *field != n, n
	case *bool:
		on := true
		if o.Kind == Bool {
			if text != "true" && text != "false" {
				return diag.New(diag.BoolExpected, text)
			}
			on = text == "true"
		}
		differs, *field = *field != on, on
	}
	if again && differs {
		p.said = append(p.said, diag.New(diag.Redefinition, o.Long))
	}
	return nil
}

// parseNumber parses a 32-bit integer as C's strtol does. It accepts leading blanks, a sign, 0x for hexadecimal
// and 0 for octal. The empty text is 0 (OPT-008).
func parseNumber(text string) (int32, error) {
	if text == "" {
		return 0, nil
	}
	digits := strings.TrimLeft(text, " \t\n\v\f\r")
	negative := strings.HasPrefix(digits, "-")
	if negative || strings.HasPrefix(digits, "+") {
		digits = digits[1:]
	}
	base := uint64(10)
	if len(digits) > 1 && digits[0] == '0' {
		base = 8
		if digits[1]|0x20 == 'x' {
			base, digits = 16, digits[2:]
		}
	}
	limit := uint64(math.MaxInt32)
	if negative {
		limit++
	}
	n, read := uint64(0), 0
	for read < len(digits) && digit(digits[read]) < base {
		n = min(n*base+digit(digits[read]), limit+1)
		read++
	}
	switch {
	case n > limit: // whatever follows the digits
		return 0, diag.New(diag.NumberOutOfRange, "32-bit integer", text)
	case read == 0 || read < len(digits):
		return 0, diag.New(diag.NumberExpected, text)
	case negative:
		return int32(-int64(n)), nil
	}
	return int32(n), nil
}

func digit(c byte) uint64 {
	switch {
	case '0' <= c && c <= '9':
		return uint64(c - '0')
	case 'a' <= c && c <= 'f':
		return uint64(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return uint64(c-'A') + 10
	}
	return math.MaxUint64
}
