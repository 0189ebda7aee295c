package option

import (
	"strconv"
	"strings"
)

// The tool note (.note.nv.tkinfo) records the options of the link as one text, in the order of [Table]: "-arch
// sm_90 -v  ". Each option is written as a dash, the short name (which may be empty), a blank, the value and a
// blank. Hidden options are never recorded. Inputs come first. Inputs and options with file names are recorded
// only with -g or -verbose-tkinfo=true, and only with the last component of their path (OPT-030 to OPT-033).

// NamesFiles reports whether the tool note contains the names of inputs and output.
func (s *Settings) NamesFiles() bool {
	if s.Given("verbose-tkinfo") {
		return s.VerboseNote
	}
	return s.Debug
}

// Note returns the options text of the tool note.
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

// GiveValues marks every option that has a value as given. It is for settings that do not come from a command
// line.
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

// recorded returns the value of o in the note.
func (s *Settings) recorded(o *Option) string {
	switch field := o.field(s).(type) {
	case *string:
		if o.Record == WithFiles {
			return s.Platform.Or().Base(*field)
		}
		return *field
	case *[]string:
		if o.Record == WithFiles {
			return "" // -optf: its files are not recorded (OPT-033)
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

// Object returns the object name of the tool note: the name of the output, or an empty string.
func (s *Settings) Object() string {
	if !s.NamesFiles() {
		return ""
	}
	return s.Platform.Or().Base(s.Output)
}
