package linker

import (
	"cmp"

	"github.com/culink/culink/linker/option"
)

// The tool note of the output has the options of the link as text, in the form of a command line. If a caller
// links without a command line, the note is that of a command line with the same options (INFO-021, OPT-030).

// withNote returns the options with the name of the tool and its note. The note is for a link of the given
// inputs.
func (o Options) withNote(inputs []Input) Options {
	if o.Note == "" {
		o.ToolName = cmp.Or(o.ToolName, "culink")
		o.Note = o.commandLine(inputs).Note()
	}
	return o
}

// commandLine returns the command line that is equivalent to the options.
func (o *Options) commandLine(inputs []Input) *option.Settings {
	s := &option.Settings{
		Toolkit:                  o.profile(),
		Arch:                     o.Arch,
		Output:                   o.Object,
		Relocatable:              o.Relocatable,
		Debug:                    o.Debug,
		SuppressDebugInfo:        o.SuppressDebugInfo,
		PreserveRelocs:           o.PreserveRelocs,
		ForceRela:                o.ForceRela,
		Verbose:                  o.Verbose,
		WarningsAreErrors:        o.WarningsAreErrors,
		ExtraWarnings:            o.ExtraWarnings,
		SuppressStackSizeWarning: o.SuppressStackSizeWarning,
		AllowUndefinedGlobals:    o.AllowUndefinedGlobals,
		EnableExtendedShared:     o.ExtendedShared,
		DisableSharedReservation: o.NoReservedShared,
		ReserveNullPointer:       o.ReserveNullPointer,
		DumpCallgraph:            o.DumpCallgraph,
		KernelsUsed:              o.KernelsUsed,
		VariablesUsed:            o.VariablesUsed,
		KeepSystem:               o.KeepSystem,
		ToolsPatch:               o.ToolsPatch,
	}
	for _, in := range inputs {
		s.Inputs = append(s.Inputs, in.Name)
	}
	s.GiveValues()
	return s
}
