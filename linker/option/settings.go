package option

import (
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/platform"
)

// Settings are the values of a command line, one field an option. A field keeps
// its zero value, or the default of [Table], when its option was not given.
type Settings struct {
	Toolkit  *arch.Profile      // the release whose nvlink reads the words
	Platform *platform.Platform // that of this nvlink
	Inputs   []string           // the words that are no options, in order

	NewestInput string // by which the release was chosen, with --toolkit auto

	// What is linked, and for which machine.
	Arch             string   // target as typed: "sm_90a", "compute_90", "lto_90"
	Machine          int32    // pointer width in bits; always 64
	Output           string   // -o
	Libraries        []string // -l
	LibraryPaths     []string // -L
	CPUArch          string
	Relocatable      bool     // -r
	KeepRelocs       bool     // --keep-relocs, with -r
	AcceptLost       bool     // --accept-lost-relocations
	KernelsUsed      []string // parts of names of kernels that stay
	VariablesUsed    []string // parts of names of variables that stay
	UseHostInfo      bool
	IgnoreHostInfo   bool
	KeepSystem       bool   // keep code of cudadevrt that nothing needs
	CUDAAPIVersion   string // as typed: "13.0"
	UIDXFile         string
	HostInfoFile     string // -nv-host
	ResponseFiles    []string
	HostLinkerScript string // "lcs-aug" or "lcs-abs": write a linker script for the host, link nothing

	// What the output looks like.
	Debug                    bool // -g
	SuppressDebugInfo        bool
	PreserveRelocs           bool
	ForceRela                bool
	AllowUndefinedGlobals    bool
	ReserveNullPointer       bool
	DontReserveNullPointer   bool
	DisableSharedReservation bool
	EnableExtendedShared     bool
	SyscallConstOffset       int32
	StackProtector           bool
	StackProtectorFrame      int32 // threshold in bytes
	UUMN                     bool
	VerboseNote              bool // -verbose-tkinfo
	RefusedDataCompatibility bool // -fdcmpt: parsed, then refused as unknown
	Shared                   bool
	HostCompiler             string
	HostLinkerOptions        []string
	RegisterLinkBinaries     string
	DotFile                  string
	TimeFile                 string
	ToolName                 string
	DumpCallgraph            bool
	DumpCallgraphNoDemangle  bool
	Verbose                  bool
	Verbose2                 bool // -v2
	ToolsPatch               bool // -astoolspatch
	ReportArch               bool
	DisableWarnings          bool
	WarningsAreErrors        bool
	DisableInfos             bool
	ExtraWarnings            bool
	SuppressStackSizeWarning bool
	SuppressArchWarning      bool
	Help                     bool
	Version                  bool

	// Link-time optimisation.
	LinkTimeOpt          bool // -lto
	DLTO                 bool // -dlto
	EmitPTX              bool
	LatestOptimiser      bool // -nvvm-latest
	ForcePartialLTO      bool
	ForceWholeLTO        bool
	NVVMPath             string
	SplitCompile         int32
	SplitCompileExtended int32
	FastCompile          string // -Ofc
	PtxasOptions         []string
	PtxasText            string // the same in one text, before 12.0
	NVVMOptions          []string
	MaxRegCount          int32

	// culink's own.
	JSON       bool
	Trace      []string // phases to tell of
	TraceFile  string
	Explain    []string // symbols to explain
	MapFile    string
	Demangle   string // "yes", "no", or empty where nothing is asked for
	Advice     string // "yes", "no", or empty where nothing is asked for
	AdviceFile string // --show-advice
	// ShadowFolder and CUDAPath are those of --make-shadow.
	ShadowFolder, CUDAPath string
	ReproFile              string
	PtxasPath              string
	ToolkitName            string       // --toolkit, as typed
	PlatformName           string       // --platform
	LTOCompiler            string       // a command, or a libnvJitLink
	LimitWords             []string     // --limit, as typed
	Limits                 limit.Limits // what they say

	given map[string]bool // long names of the options that stood on the line
}

// Given says whether the option with this long name stood on the command line.
func (s *Settings) Given(long string) bool { return s.given[long] }

// LTO says whether link-time optimisation was asked for, under either name.
func (s *Settings) LTO() bool { return s.LinkTimeOpt || s.DLTO }

// Partial reports whether LTO must keep what other code may use: -force-partial-lto, and
// -r, which says the same (LTO-001).
func (s *Settings) Partial() bool { return s.ForcePartialLTO || s.Relocatable }

// Suffix is what -report-arch puts after each message.
func (s *Settings) Suffix() string {
	if !s.ReportArch || s.Arch == "" {
		return ""
	}
	return " (target: " + s.Arch + ")"
}
