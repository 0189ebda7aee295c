package option

import (
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/platform"
)

// Settings contains the values of a command line, with one field for each option. If an option is absent, its
// field is zero or the default of [Table].
type Settings struct {
	Toolkit  *arch.Profile      // the release whose nvlink parses the arguments
	Platform *platform.Platform // that of this nvlink
	Inputs   []string           // the arguments that are not options, in order

	NewestInput string // the input that determined the release, with --toolkit auto

	// Inputs and target of the link.
	Arch             string   // target as typed: "sm_90a", "compute_90", "lto_90"
	Machine          int32    // pointer width in bits: 64, or up to 11.8 also 32
	Output           string   // -o
	Libraries        []string // -l
	LibraryPaths     []string // -L
	CPUArch          string
	Relocatable      bool     // -r
	KeepRelocs       bool     // --keep-relocs, with -r
	AcceptLost       bool     // --accept-lost-relocations
	KernelsUsed      []string // substrings of the names of kernels that stay
	VariablesUsed    []string // substrings of the names of variables that stay
	UseHostInfo      bool
	IgnoreHostInfo   bool
	KeepSystem       bool   // keep code of cudadevrt that nothing needs
	CUDAAPIVersion   string // as typed: "13.0"
	UIDXFile         string
	HostInfoFile     string // -nv-host
	ResponseFiles    []string
	HostLinkerScript string // "lcs-aug" or "lcs-abs": write a linker script for the host, link nothing

	// Contents of the output.
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
	PtxasText            string // PtxasOptions as one text, before 12.0
	NVVMOptions          []string
	MaxRegCount          int32

	// culink's own.
	JSON       bool
	Trace      []string // phases to trace
	TraceFile  string
	Explain    []string // symbols to explain
	MapFile    string
	Demangle   string // "yes", "no", or empty if not given
	Advice     string // "yes", "no", or empty if not given
	AdviceFile string // --show-advice
	// ShadowFolder and CUDAPath are the values of --make-shadow.
	ShadowFolder, CUDAPath string
	ReproFile              string
	PtxasPath              string
	ToolkitName            string       // --toolkit, as typed
	PlatformName           string       // --platform
	LTOCompiler            string       // a command, or the path of a libnvJitLink
	LimitWords             []string     // --limit, as typed
	Limits                 limit.Limits // the parsed limits

	given map[string]bool // long names of the options on the command line
}

// Given reports whether the command line has the option with this long name.
func (s *Settings) Given(long string) bool { return s.given[long] }

// LTO reports whether link-time optimisation was requested, under either name.
func (s *Settings) LTO() bool { return s.LinkTimeOpt || s.DLTO }

// Partial reports whether LTO must keep symbols that other code may use. It must with -force-partial-lto, and
// with -r, which implies that option (LTO-001).
func (s *Settings) Partial() bool { return s.ForcePartialLTO || s.Relocatable }

// Suffix returns the suffix that -report-arch adds to each message.
func (s *Settings) Suffix() string {
	if !s.ReportArch || s.Arch == "" {
		return ""
	}
	return " (target: " + s.Arch + ")"
}
