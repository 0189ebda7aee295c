package program

import "github.com/culink/culink/linker/trace"

// Options are the options of a link, as documented in package linker. That package converts its own options to
// these. Both types therefore have the same fields in the same order.
type Options struct {
	Arch     string
	ToolName string
	Note     string
	Object   string
	Build    string

	Toolkit string

	Relocatable              bool
	Debug                    bool
	SuppressDebugInfo        bool
	KeepRelocs               bool
	AcceptLostRelocations    bool
	PreserveRelocs           bool
	ForceRela                bool
	Verbose                  bool
	WarningsAreErrors        bool
	ExtraWarnings            bool
	SuppressStackSizeWarning bool
	AllowUndefinedGlobals    bool
	ExtendedShared           bool
	NoReservedShared         bool
	Specific                 bool
	ReserveNullPointer       bool
	DumpCallgraph            bool
	Dot                      bool
	Map                      bool
	KeepSystem               bool
	ToolsPatch               bool

	MaxAPI uint32

	Explain       []string
	KernelsUsed   []string
	VariablesUsed []string

	Host []byte

	HostKernels      func(systemParts int) func(name string, internal bool) bool
	HostKernelsFirst bool

	Demangle func(string) string

	Threads int
	Stream  bool

	Trace func(trace.Event)
}

// DebugSymbols reports whether the output contains symbols for debuggers.
func (o *Options) DebugSymbols() bool { return o.Debug && !o.SuppressDebugInfo }

// KeepsDeadCode reports whether functions that no kernel reaches stay (REACH-004, OPT-059).
func (o *Options) KeepsDeadCode() bool {
	return o.Debug || o.Relocatable || o.PreserveRelocs || o.ToolsPatch
}

// ShownName returns the name of a symbol as it is in the source. Only a few messages show it so.
func (o *Options) ShownName(name string) string {
	if o.Demangle == nil {
		return name
	}
	return o.Demangle(name)
}

// TraceStep traces a step, if tracing is on.
func (o *Options) TraceStep(m trace.Message, args ...any) {
	if o.Trace != nil {
		o.Trace(trace.Event{Message: m, Args: args})
	}
}
