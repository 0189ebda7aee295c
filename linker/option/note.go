package option

import (
	"strconv"
	"strings"
)

// The tool note (.note.nv.tkinfo) records the options of the link as one text, in
// the order of [Table] whatever their order on the line: "-arch sm_90 -v  ". Each
// is a dash, the short name (which may be empty), a blank, the value and a blank.
// Hidden options are never recorded. Options that name files are recorded, the
// inputs before all others, only with -g or -verbose-tkinfo=true, by the last
// part of their path (OPT-030 to OPT-033).

// NamesFiles says whether the tool note names inputs and output.
func (s *Settings) NamesFiles() bool {
	if s.Given("verbose-tkinfo") {
		return s.VerboseNote
	}
	return s.Debug
}

// Note is the options text of the tool note.
func (s *Settings) Note() string {
	var b strings.Builder
	if s.NamesFiles() {
		for i, input := range s.Inputs {
			if i > 0 {
				b.WriteByte(',')
			}
			b.WriteString(s.Platform.Or().Base(input))
		}
		b.WriteByte(' ')
	}
	for i := range Table {
		o := &Table[i]
		if o.Record == Never || !o.KnownTo(s.Toolkit) || o.Record == WithFiles && !s.NamesFiles() || !s.Given(o.Long) {
			continue
		}
		b.WriteByte('-')
		b.WriteString(o.Short)
		b.WriteByte(' ')
		b.WriteString(s.recorded(o))
		b.WriteByte(' ')
	}
	return b.String()
}

// GiveValues makes of settings that no command line made those of one that says the same: what
// has a value is given.
func (s *Settings) GiveValues() {
	s.given = map[string]bool{}
	for i := range Table {
		o := &Table[i]
		switch field := o.field(s).(type) {
		case *string:
			s.given[o.Long] = *field != ""
		case *[]string:
			s.given[o.Long] = len(*field) > 0
		case *int32:
			s.given[o.Long] = *field != 0
		case *bool:
			s.given[o.Long] = *field
		}
	}
}

// recorded is the value of o as the note shows it.
func (s *Settings) recorded(o *Option) string {
	switch field := o.field(s).(type) {
	case *string:
		if o.Record == WithFiles {
			return s.Platform.Or().Base(*field)
		}
		return *field
	case *[]string:
		if o.Record == WithFiles {
			return "" // -optf: its files are not named (OPT-033)
		}
		return strings.Join(*field, ",")
	case *int32:
		return strconv.Itoa(int(*field))
	case *bool:
		if o.Kind == Bool {
			return strconv.FormatBool(*field)
		}
	}
	return ""
}

// Object is the object name of the tool note: the output's, or nothing.
func (s *Settings) Object() string {
	if !s.NamesFiles() {
		return ""
	}
	return s.Platform.Or().Base(s.Output)
}
