package option

import (
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/platform"
)

// A Kind is the kind of an option's value.
type Kind uint8

// The kinds of options.
const (
	Switch Kind = iota // no value
	Text               // one text
	List               // texts separated by commas (see splitList); repeats append
	Number             // a 32-bit integer in C syntax
	Bool               // "true" or "false"
	Choice             // one of Option.Choices
)

// A Recording determines when an option is recorded in the tool note.
type Recording uint8

// When options are recorded.
const (
	Never     Recording = iota
	Always              // whenever it is given
	WithFiles           // only if the note contains file names: -g or -verbose-tkinfo=true
)

// An Option is a row of [Table].
type Option struct {
	Long, Short string // without dashes; Short may be empty
	Kind        Kind
	Arg         string             // the placeholder for the value in the help: "<file name>"
	Choices     []string           // the values allowed for Choice; for Number, the only numbers allowed
	Targets     bool               // Choice allows the target names of the release
	Default     string             // as stated in the help
	Bare        string             // the value if none follows; empty: a value must follow. For culink's own options a value must follow "="
	Program     bool               // the value is the path of a program or library that is run
	ShortOnly   bool               // only the short name is accepted
	Attached    bool               // the value may directly follow the short name: -lfoo
	Hidden      bool               // accepted, but not in help
	Own         bool               // culink's own, unknown to nvlink
	Since       uint32             // the first release with the option, as in arch.Profile.API
	Until       uint32             // the last one; 0: current releases have it
	On          *platform.Platform // the only platform whose nvlink has the option; nil: all
	Record      Recording
	Help        string

	field func(*Settings) any // *bool, *string, *[]string or *int32
}

// Table lists every option. nvlink's own options are in the order of the tool note (OPT-030).
var Table = []Option{
	{Long: "suppress-stack-size-warning", Short: "suppress-stack-size-warning", Record: Always,
		Help:  "Do not warn of entry functions whose stack size is unknown.",
		field: func(s *Settings) any { return &s.SuppressStackSizeWarning }},
	{Long: "suppress-arch-warning", Short: "suppress-arch-warning", Record: Always,
		Help:  "Do not warn of objects that hold nothing for the target.",
		field: func(s *Settings) any { return &s.SuppressArchWarning }},
	{Long: "output-file", Short: "o", Kind: Text, Arg: "<file name>", Record: WithFiles,
		Help:  "Write the linked cubin to this file.",
		field: func(s *Settings) any { return &s.Output }},
	{Long: "debug", Short: "g", Record: Always,
		Help:  "The inputs were compiled for debugging; name files in the tool note.",
		field: func(s *Settings) any { return &s.Debug }},
	{Long: "arch", Short: "arch", Kind: Choice, Arg: "<gpu architecture name>", Targets: true, Record: Always,
		Help:  "The target to link for.",
		field: func(s *Settings) any { return &s.Arch }},
	{Long: "machine", Until: 118, Short: "m", Kind: Number, Arg: "<bits>", Choices: []string{"32", "64"}, Default: "64", Attached: true, Record: Always,
		Help:  "Pointer width; that of the inputs.",
		field: func(s *Settings) any { return &s.Machine }},
	{Long: "machine", Since: 120, Short: "m", Kind: Number, Arg: "<bits>", Choices: []string{"64"}, Default: "64", Attached: true, Record: Always,
		Help:  "Pointer width; 64 is the only one left.",
		field: func(s *Settings) any { return &s.Machine }},
	{Long: "library", Short: "l", Kind: List, Arg: "<library>,...", Attached: true, Record: Always,
		Help:  "Link libNAME.a from the -L folders, after all other inputs; on Windows NAME.lib.",
		field: func(s *Settings) any { return &s.Libraries }},
	{Long: "library-path", Short: "L", Kind: List, Arg: "<library-path>,...", Attached: true, Record: Always,
		Help:  "Folders in which -l looks, in this order.",
		field: func(s *Settings) any { return &s.LibraryPaths }},
	{Long: "host-linker-options", Short: "Xlinker", Kind: List, Arg: "<options>,...", Hidden: true,
		Help:  "Options of the host linker; ignored.",
		field: func(s *Settings) any { return &s.HostLinkerOptions }},
	{Long: "register-link-binaries", Kind: Text, Arg: "<file name>", Record: WithFiles,
		Help:  "Write a C file that names the registration function of each linked object.",
		field: func(s *Settings) any { return &s.RegisterLinkBinaries }},
	{Long: "verbose", Short: "v", Record: Always,
		Help:  "Print registers, stack and memory of each kernel.",
		field: func(s *Settings) any { return &s.Verbose }},
	{Long: "verbose2", Since: 132, Short: "v2", Record: Always,
		Help:  "Print names and progress of the compiler of PTX inputs.",
		field: func(s *Settings) any { return &s.Verbose2 }},
	{Long: "dot-file", Short: "dot", Kind: Text, Arg: "<file name>", Hidden: true,
		Help:  "Write the call graph as a Graphviz file.",
		field: func(s *Settings) any { return &s.DotFile }},
	{Long: "preserve-relocs", Short: "preserve-relocs", Record: Always,
		Help:  "Keep the resolved relocations in the output.",
		field: func(s *Settings) any { return &s.PreserveRelocs }},
	{Long: "reserve-null-pointer", Short: "reserve-null-pointer", Hidden: true,
		Help:  "Place nothing at address 0.",
		field: func(s *Settings) any { return &s.ReserveNullPointer }},
	{Long: "dont-reserve-null-pointer", Short: "dont-reserve-null-pointer", Hidden: true,
		Help:  "Use address 0; wins over -reserve-null-pointer.",
		field: func(s *Settings) any { return &s.DontReserveNullPointer }},
	{Long: "disable-smem-reservation", Since: 118, Short: "disable-smem-reservation", Kind: Bool, Arg: "<true|false>", Hidden: true,
		Help:  "Reserve no shared memory for the system.",
		field: func(s *Settings) any { return &s.DisableSharedReservation }},
	{Long: "allow-undefined-globals", Short: "allow-undefined-globals", Hidden: true,
		Help:  "Accept global variables that no input defines.",
		field: func(s *Settings) any { return &s.AllowUndefinedGlobals }},
	{Long: "syscall-const-offset", Short: "syscall-const-offset", Kind: Number, Arg: "<N>", Hidden: true,
		Help:  "Where the constants of system calls start.",
		field: func(s *Settings) any { return &s.SyscallConstOffset }},
	{Long: "disable-warnings", Short: "w", Record: Always,
		Help:  "Accepted and recorded; nvlink warns all the same.",
		field: func(s *Settings) any { return &s.DisableWarnings }},
	{Long: "warning-as-error", Short: "Werror", Record: Always,
		Help:  "Treat each warning as an error.",
		field: func(s *Settings) any { return &s.WarningsAreErrors }},
	{Long: "disable-infos", Since: 130, Short: "disable-infos", Record: Always,
		Help:  "Say nothing of warnings; infos are printed all the same, as by nvlink.",
		field: func(s *Settings) any { return &s.DisableInfos }},
	{Long: "keep-system-libraries", Short: "keep-system-libraries", Record: Always,
		Help:  "Link cudadevrt even if nothing needs it.",
		field: func(s *Settings) any { return &s.KeepSystem }},
	{Long: "kernels-used", Short: "kernels-used", Kind: List, Arg: "<kernel>,...", Record: Always,
		Help:  "Keep only kernels whose name contains one of these, and what they reach.",
		field: func(s *Settings) any { return &s.KernelsUsed }},
	{Long: "variables-used", Since: 118, Short: "variables-used", Kind: List, Arg: "<variable>,...", Record: Always,
		Help:  "Keep only variables whose name contains one of these, and those that code uses.",
		field: func(s *Settings) any { return &s.VariablesUsed }},
	{Long: "force-rela", Short: "force-rela", Hidden: true,
		Help:  "Write all relocations with an addend field.",
		field: func(s *Settings) any { return &s.ForceRela }},
	{Long: "cpu-arch", Until: 132, Short: "cpu-arch", Kind: Choice, Arg: "<cpu architecture name>",
		Choices: []string{"AARCH64", "ARMv7", "PPC64LE", "X86", "X86_64", "unknown"}, Default: "unknown", Record: Always,
		Help:  "The host's processor: what -l finds must be for it.",
		field: func(s *Settings) any { return &s.CPUArch }},
	{Long: "cpu-arch", Since: 133, Short: "cpu-arch", Kind: Choice, Arg: "<cpu architecture name>",
		Choices: []string{"AARCH64", "ARMv7", "PPC64LE", "RISCV64", "X86", "X86_64", "unknown"}, Default: "unknown", Record: Always,
		Help:  "The host's processor: what -l finds must be for it.",
		field: func(s *Settings) any { return &s.CPUArch }},
	{Long: "link-as-tools-patch", Since: 133, Short: "astoolspatch", Record: Always,
		Help:  "The inputs were compiled as patches of tools: all functions stay.",
		field: func(s *Settings) any { return &s.ToolsPatch }},
	{Long: "nvvm-latest", Since: 135, Short: "nvvm-latest",
		Help:  "With -lto: use the newest optimiser.",
		field: func(s *Settings) any { return &s.LatestOptimiser }},
	{Long: "report-arch", Short: "report-arch", Record: Always,
		Help:  "End each message with the target.",
		field: func(s *Settings) any { return &s.ReportArch }},
	{Long: "emit-ptx", Since: 118, Until: 118, Short: "emit-ptx", Arg: "<file name>", Record: Always,
		Help:  "With -lto: write the optimised PTX. No file name follows, whatever it says.",
		field: func(s *Settings) any { return &s.EmitPTX }},
	{Long: "emit-ptx", Since: 120, Short: "emit-ptx", Record: Always,
		Help:  "With -lto: write the optimised PTX.",
		field: func(s *Settings) any { return &s.EmitPTX }},
	{Long: "time", Short: "time", Kind: Text, Arg: "<file name>", Record: WithFiles,
		Help:  "Append the times of the steps to this table of comma separated values; - is stdout.",
		field: func(s *Settings) any { return &s.TimeFile }},
	{Long: "extra-warnings", Short: "extrawarn", Record: Always,
		Help:  "Warn of more that may be wrong.",
		field: func(s *Settings) any { return &s.ExtraWarnings }},
	{Long: "verbose-tkinfo", Since: 130, Short: "verbose-tkinfo", Kind: Bool, Arg: "<true|false>", Hidden: true,
		Help:  "Name inputs and outputs in the tool note, as -g does.",
		field: func(s *Settings) any { return &s.VerboseNote }},
	{Long: "link-time-opt", Short: "lto", Record: Always,
		Help:  "Optimise at link time; needs -nvvmpath.",
		field: func(s *Settings) any { return &s.LinkTimeOpt }},
	{Long: "dlto", Since: 118, Short: "dlto", Record: Always,
		Help:  "The same as -lto.",
		field: func(s *Settings) any { return &s.DLTO }},
	{Long: "nvvmpath", Short: "nvvmpath", Kind: Text, Program: true, Record: Always,
		Help:  "Folder of the optimiser: lib64/libnvvm.so below it.",
		field: func(s *Settings) any { return &s.NVVMPath }},
	{Long: "force-partial-lto", Since: 118, Short: "force-partial-lto", Hidden: true,
		Help:  "With -lto: do not treat the inputs as a whole program.",
		field: func(s *Settings) any { return &s.ForcePartialLTO }},
	{Long: "force-whole-lto", Since: 118, Short: "force-whole-lto", Hidden: true,
		Help:  "With -lto: treat the inputs as a whole program.",
		field: func(s *Settings) any { return &s.ForceWholeLTO }},
	{Long: "split-compile", Since: 120, Short: "split-compile", Kind: Number, Arg: "<amount>", Default: "1", Record: Always,
		Help:  "With -lto: threads of the optimiser.",
		field: func(s *Settings) any { return &s.SplitCompile }},
	{Long: "split-compile-extended", Since: 120, Short: "split-compile-extended", Kind: Number, Arg: "<amount>", Default: "1", Record: Always,
		Help:  "With -lto: threads of optimiser and code generator.",
		field: func(s *Settings) any { return &s.SplitCompileExtended }},
	{Long: "Ofast-compile", Since: 130, Short: "Ofc", Kind: Text, Arg: "<0|min|mid|max>", Bare: "0", Record: Always,
		Help:  "With -lto: trade speed of the code for speed of the compiler, from 0 (not at all) over min and mid to max.",
		field: func(s *Settings) any { return &s.FastCompile }},
	{Long: "uumn", Short: "uumn", Hidden: true,
		Help:  "Accepted; no effect is known.",
		field: func(s *Settings) any { return &s.UUMN }},
	{Long: "suppress-debug-info", Short: "suppress-debug-info", Record: Always,
		Help:  "With -g: leave debug information out of the output.",
		field: func(s *Settings) any { return &s.SuppressDebugInfo }},
	{Long: "Xptxas", Until: 118, Short: "Xptxas", Kind: Text, Arg: "<options>", Record: Always,
		Help:  "Options of the assembler, for PTX inputs and -lto.",
		field: func(s *Settings) any { return &s.PtxasText }},
	{Long: "Xptxas", Since: 120, Short: "Xptxas", Kind: List, Arg: "<options>,...", Record: Always,
		Help:  "Options of the assembler, for PTX inputs and -lto.",
		field: func(s *Settings) any { return &s.PtxasOptions }},
	{Long: "Xnvvm", Since: 120, Short: "Xnvvm", Kind: List, Arg: "<options>,...", Record: Always,
		Help:  "With -lto: options of the optimiser.",
		field: func(s *Settings) any { return &s.NVVMOptions }},
	{Long: "maxrregcount", Short: "maxrregcount", Kind: Number, Arg: "<amount>", Record: Always,
		Help:  "With -lto: registers that a thread may use.",
		field: func(s *Settings) any { return &s.MaxRegCount }},
	{Long: "cuda-api-version", Short: "cuda-api-version", Kind: Text, Arg: "<major>.<minor>", Hidden: true,
		Help:  "Refuse inputs that need a later driver interface.",
		field: func(s *Settings) any { return &s.CUDAAPIVersion }},
	{Long: "dump-callgraph", Since: 118, Short: "dump-callgraph", Record: Always,
		Help:  "Print the call graph on stderr.",
		field: func(s *Settings) any { return &s.DumpCallgraph }},
	{Long: "dump-callgraph-no-demangle", Since: 118, Short: "dump-callgraph-no-demangle", Record: Always,
		Help:  "Print the call graph on stderr; nvlink demangles here too.",
		field: func(s *Settings) any { return &s.DumpCallgraphNoDemangle }},
	{Long: "use-host-info", Since: 118, Short: "use-host-info", Record: Always,
		Help:  "Drop device code that, by the host objects' own account, the host does not use.",
		field: func(s *Settings) any { return &s.UseHostInfo }},
	{Long: "ignore-host-info", Since: 118, Short: "ignore-host-info", Record: Always,
		Help:  "Keep all that the host may use.",
		field: func(s *Settings) any { return &s.IgnoreHostInfo }},
	{Long: "gen-host-linker-script", Since: 118, On: platform.Linux, Short: "ghls", Kind: Choice, Arg: "<host linker script type>",
		Choices: []string{"lcs-aug", "lcs-abs"}, Bare: "lcs-abs",
		Help:  "Link nothing; write a script for the host linker: an addition to its own, or a whole one.",
		field: func(s *Settings) any { return &s.HostLinkerScript }},
	{Long: "shared", Since: 118, On: platform.Linux, Short: "shared", Hidden: true,
		Help:  "The host link makes a shared library.",
		field: func(s *Settings) any { return &s.Shared }},
	{Long: "host-ccbin", Since: 118, On: platform.Linux, Short: "host-ccbin", Kind: Text, Program: true, Arg: "</path/to/compiler/binary>", Hidden: true,
		Help:  "The host compiler, for -ghls.",
		field: func(s *Settings) any { return &s.HostCompiler }},
	{Long: "relocatable-link", Since: 130, Short: "r", Record: Always,
		Help:  "Make a relocatable cubin that can be linked again.",
		field: func(s *Settings) any { return &s.Relocatable }},
	{Long: "r", Since: 118, Until: 129, Short: "r", ShortOnly: true, Hidden: true,
		Help:  "Accepted; without effect.",
		field: func(s *Settings) any { return &s.Relocatable }},
	{Long: "uidx-file", Since: 120, Short: "uidx", Kind: Text,
		Help:  "Index of unified functions and data.",
		field: func(s *Settings) any { return &s.UIDXFile }},
	{Long: "device-stack-protector", Since: 130, Short: "device-stack-protector", Kind: Bool, Record: Always,
		Help:  "Guard stacks (true or false); recorded only.",
		field: func(s *Settings) any { return &s.StackProtector }},
	{Long: "device-stack-protector-frame-size-threshold", Since: 130, Short: "device-stack-protector-frame-size-threshold",
		Kind: Number, Arg: "<threshold>", Hidden: true,
		Help:  "Frame size in bytes from which stacks are guarded.",
		field: func(s *Settings) any { return &s.StackProtectorFrame }},
	{Long: "nv-host", Since: 130, Short: "nv-host", Kind: Text, Arg: "<file>", Hidden: true,
		Help:  "File of host references.",
		field: func(s *Settings) any { return &s.HostInfoFile }},
	{Long: "enable-extended-smem", Since: 130, Short: "enable-extended-smem", Kind: Bool, Arg: "<true|false>", Hidden: true,
		Help:  "Allow more shared memory.",
		field: func(s *Settings) any { return &s.EnableExtendedShared }},
	{Long: "tool-name", Short: "tool-name", Kind: Text, Arg: "<tool name>", Hidden: true,
		Help:  "The name in messages and in the tool note.",
		field: func(s *Settings) any { return &s.ToolName }},
	{Long: "help", Short: "h",
		Help:  "Print this help.",
		field: func(s *Settings) any { return &s.Help }},
	{Long: "version", Short: "V",
		Help:  "Print the version.",
		field: func(s *Settings) any { return &s.Version }},
	{Long: "options-file", Short: "optf", Kind: List, Arg: "<file>,...", Record: WithFiles,
		Help:  "Read options from these files.",
		field: func(s *Settings) any { return &s.ResponseFiles }},
	{Long: "fdcmpt", Short: "fdcmpt", Hidden: true,
		Help:  "Known, and always refused.",
		field: func(s *Settings) any { return &s.RefusedDataCompatibility }},

	{Long: "keep-relocs", Short: "keep-relocs", Own: true, Record: Always,
		Help:  "With -r, keep the relocations that a later link needs and nvlink drops; so does CULINK_KEEP_RELOCS=1 in the environment.",
		field: func(s *Settings) any { return &s.KeepRelocs }},
	{Long: "accept-lost-relocations", Short: "accept-lost-relocations", Own: true,
		Help:  "Link inputs whose relocations an earlier -r has dropped as nvlink does, with a warning for each variable that code reads at another address; so does CULINK_ACCEPT_LOST_RELOCATIONS=1 in the environment.",
		field: func(s *Settings) any { return &s.AcceptLost }},
	{Long: "json", Own: true,
		Help:  "Also print each message on stdout, as one line of JSON.",
		field: func(s *Settings) any { return &s.JSON }},
	{Long: "advice", Kind: Choice, Arg: "<yes|no>", Own: true,
		Choices: []string{"yes", "no"}, Bare: "yes",
		Help:  "Answer messages: who names an undefined symbol, which variables are the largest. Default: what the environment's CULINK_ADVICE says, else yes at a terminal, by the name culink. With --make-shadow, gather the answers of the folder's nvlink in its advice.txt.",
		field: func(s *Settings) any { return &s.Advice }},
	{Long: "show-advice", Kind: Text, Arg: "<file name>", Own: true,
		Help:  "Print the answers that links have gathered in the file of CULINK_ADVICE; link nothing.",
		field: func(s *Settings) any { return &s.AdviceFile }},
	{Long: "trace", Kind: List, Arg: "<phase>,...", Own: true,
		Choices: []string{"merge", "reach", "propagate", "layout", "finalize", "relocate", "time"},
		Help:    "Print what these phases do.",
		field:   func(s *Settings) any { return &s.Trace }},
	{Long: "trace-file", Kind: Text, Arg: "<file name>", Own: true,
		Help:  "Write the trace to this file.",
		field: func(s *Settings) any { return &s.TraceFile }},
	{Long: "explain", Kind: List, Arg: "<symbol>,...", Own: true,
		Help:  "Print where these symbols come from, who reaches them, where they stand and what they need.",
		field: func(s *Settings) any { return &s.Explain }},
	{Long: "map", Kind: Text, Arg: "<file name>", Own: true,
		Help:  "Write a memory map: sections and symbols by memory space, and what each input uses of each. A name that ends in .json or .html makes JSON, or a page with pictures; %a in it stands for the target.",
		field: func(s *Settings) any { return &s.MapFile }},
	{Long: "demangle", Kind: Choice, Arg: "<yes|no>", Own: true,
		Choices: []string{"yes", "no"}, Bare: "yes",
		Help:  "Show C++ names as the source has them, in what --explain prints and in the map as text. Default: in the map, and of a symbol that --explain names as the source does.",
		field: func(s *Settings) any { return &s.Demangle }},
	{Long: "repro", Kind: Text, Arg: "<file name>", Own: true,
		Help:  "Pack command line and inputs into one file that cuconform can replay.",
		field: func(s *Settings) any { return &s.ReproFile }},
	{Long: "make-shadow", Kind: Text, Arg: "<folder>", Own: true,
		Help:  "Make this folder, which build tools take for the CUDA toolkit, with culink as its nvlink; link nothing.",
		field: func(s *Settings) any { return &s.ShadowFolder }},
	{Long: "cuda-path", Kind: Text, Program: true, Arg: "<folder>", Own: true,
		Help:  "With --make-shadow, the CUDA toolkit; else that of CUDA_PATH, CUDA_HOME, or of nvcc on PATH.",
		field: func(s *Settings) any { return &s.CUDAPath }},
	{Long: toolkitOption, Kind: Text, Arg: "<version>", Own: true,
		Help:  "The release of the CUDA toolkit whose nvlink culink stands in for, or auto for that of the newest input; else the environment's CULINK_TOOLKIT.",
		field: func(s *Settings) any { return &s.ToolkitName }},
	{Long: platformOption, Kind: Choice, Arg: "<linux|linux-arm64|windows>", Own: true,
		Choices: []string{"linux", "linux-arm64", "windows"}, Default: "the system that culink runs on; elsewhere linux",
		Help:  "The system whose nvlink culink stands in for: its host objects, libraries, paths and streams; else the environment's CULINK_PLATFORM.",
		field: func(s *Settings) any { return &s.PlatformName }},
	{Long: "ptxas", Short: "ptxas", Kind: Text, Program: true, Arg: "<path>", Own: true,
		Help:  "The assembler for PTX inputs; else the environment's CULINK_PTXAS, else ptxas on PATH.",
		field: func(s *Settings) any { return &s.PtxasPath }},
	{Long: "lto-compiler", Short: "lto-compiler", Kind: Text, Program: true, Arg: "<command>", Own: true,
		Help:  "The compiler for -lto: a command, or a libnvJitLink of NVIDIA's; else the environment's CULINK_LTO, else the library near -nvvmpath or ptxas.",
		field: func(s *Settings) any { return &s.LTOCompiler }},
	{Long: "limit", Kind: List, Arg: "<name>=<number>,...", Own: true,
		Help:  "Let the link take more or less of the machine: read, decoded and shared (bytes), responses (files), matches (bytes compared), lookups (files).",
		field: func(s *Settings) any { return &s.LimitWords }},
}

// KnownTo reports whether a release has the option. nil means any release.
func (o *Option) KnownTo(toolkit *arch.Profile) bool {
	return toolkit == nil || arch.Holds(toolkit.API, o.Since, o.Until)
}

// Values returns the values that a release allows for o, or nil if any value is allowed.
func (o *Option) Values(toolkit *arch.Profile) []string {
	if o.Targets {
		return toolkit.Names()
	}
	return o.Choices
}

// Values returns the values that a release allows for an option, by its long or short name. It returns nil if any value is
// allowed, or if there is no such option.
func Values(toolkit *arch.Profile, name string) []string {
	for _, o := range []*Option{byLong(toolkit, name), byShort(toolkit, name)} {
		if o != nil {
			return o.Values(toolkit)
		}
	}
	return nil
}

// byLong and byShort find the row of a release by its name.
func byLong(toolkit *arch.Profile, name string) *Option {
	return row(func(o *Option) bool { return o.Long == name && !o.ShortOnly && o.KnownTo(toolkit) })
}

func byShort(toolkit *arch.Profile, name string) *Option {
	return row(func(o *Option) bool { return o.Short != "" && o.Short == name && o.KnownTo(toolkit) })
}

// Spellings returns the options of a release as they are written on a command line, such as "-o"
// and "--output-file".
func Spellings(toolkit *arch.Profile) (list []string) {
	for i := range Table {
		o := &Table[i]
		if o.Hidden || !o.KnownTo(toolkit) {
			continue
		}
		if list = append(list, "--"+o.Long); o.Short != "" {
			list = append(list, "-"+o.Short)
		}
	}
	return list
}

func row(wanted func(*Option) bool) *Option {
	for i := range Table {
		if wanted(&Table[i]) {
			return &Table[i]
		}
	}
	return nil
}
