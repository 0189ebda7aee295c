package option

import (
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

// fastCompileLevels are the arguments of -Ofc. The parser accepts any text. Only -lto checks it (OPT-024).
var fastCompileLevels = []string{"0", "min", "mid", "max"}

// Check reports missing and conflicting options in nvlink's order (OPT-020). A fatal message is the last one.
// It must not be called if help or version were requested.
func (s *Settings) Check(log *diag.Log) {
	if s.HostLinkerScript != "" {
		if len(s.Inputs) > 0 {
			log.Report(diag.InputsNotAllowed)
		}
		return
	}
	if s.refusalOfLink().report(log) {
		return
	}
	if s.UseHostInfo && len(s.KernelsUsed)+len(s.VariablesUsed) > 0 {
		log.Report(diag.IgnoreUseHostInfo)
	}
	if s.refusalOfLTO().report(log) {
		return
	}
	if s.LTO() {
		s.checkSplitCompile(log)
	}
	if s.Given("Ofast-compile") && !slices.Contains(fastCompileLevels, s.FastCompile) {
		log.Report(diag.InvalidArgument, "--Ofast-compile")
		return
	}
	if s.Machine == 32 && s.target().Only64() { // KIT-220
		log.Report(diag.OptionNotSupported, "-m32", s.Arch)
		return
	}
	if s.PreserveRelocs && s.target().PreservesPartly() {
		log.Report(diag.NotFullyImplemented, "--preserve-relocs", s.Arch)
	}
	if s.RefusedDataCompatibility {
		log.Report(diag.UnknownOption, "-fdcmpt")
		return
	}
	if s.Given("cuda-api-version") {
		if _, id := readAPIVersion(s.CUDAAPIVersion, s.Toolkit); id != diag.None {
			log.Report(id)
		}
	}
}

// A refusal is the fatal message for options with which no link is possible. The zero value means that there
// is none.
type refusal struct {
	id   diag.ID
	args []any
}

// report reports r. It returns whether r is a refusal.
func (r refusal) report(log *diag.Log) bool {
	if r.id != diag.None {
		log.Report(r.id, r.args...)
	}
	return r.id != diag.None
}

// conflict returns the refusal of two options that exclude each other.
func conflict(a, b string) refusal { return refusal{diag.ConflictingOptions, []any{a, b}} }

// refusalOfLink returns the refusal for the first missing or conflicting option of a link.
func (s *Settings) refusalOfLink() refusal {
	conflicting := s.refusalOfConflict()
	switch {
	case s.Toolkit.Options.InputsFirst && len(s.Inputs) == 0: // KIT-621
		return refusal{diag.NoInputFiles, nil}
	case s.Toolkit.Options.ConflictsFirst && conflicting.id != diag.None: // KIT-218
		return conflicting
	case s.Arch == "":
		return refusal{diag.UnknownArch, []any{"(null)"}}
	case !s.Given("output-file") && !s.VirtualTarget():
		return refusal{diag.NoOutputFile, nil}
	case len(s.Inputs) == 0:
		return refusal{diag.NoInputFiles, nil}
	}
	return conflicting
}

// refusalOfConflict returns the refusal for the first options of a link that exclude each other.
func (s *Settings) refusalOfConflict() refusal {
	switch {
	case s.SuppressDebugInfo && !s.Debug:
		return conflict("-suppress-debug-info", "no -g")
	case s.DumpCallgraph && s.DumpCallgraphNoDemangle:
		return conflict("-dump-callgraph", "-dump-callgraph-no-demangle")
	case s.UseHostInfo && s.IgnoreHostInfo:
		return conflict("-use-host-info", "-ignore-host-info")
	}
	return refusal{}
}

// refusalOfLTO returns the refusal for the first option of -lto that conflicts with another option or with the
// target.
func (s *Settings) refusalOfLTO() refusal {
	lto := s.LTO()
	switch {
	case s.target().Kind == arch.LTO:
		return refusal{diag.VirtualTarget, []any{s.Arch}}
	case lto && !s.Given("nvvmpath") && !s.Toolkit.Options.OwnOptimiser:
		return refusal{diag.NVVMPathMissing, nil}
	case s.ForcePartialLTO && !lto:
		return conflict("-force-partial-lto", "no -dlto")
	case s.ForceWholeLTO && !lto:
		return conflict("-force-whole-lto", "no -dlto")
	case s.Partial() && s.ForceWholeLTO:
		return conflict("-force-partial-lto", "-force-whole-lto")
	case s.LatestOptimiser && !lto: // KIT-147
		return conflict("-nvvm-latest", "no -dlto")
	case s.EmitPTX && !lto:
		return conflict("-emit-ptx", "no -dlto")
	case s.Given("Ofast-compile") && !lto:
		return conflict("--Ofast-compile", "no -dlto")
	}
	return refusal{}
}

// checkSplitCompile reports which option takes effect with
// -lto, if one conflicts with -split-compile-extended (OPT-029).
func (s *Settings) checkSplitCompile(log *diag.Log) {
	const usual = 1
	switch {
	case s.SplitCompileExtended == usual:
	case s.EmitPTX:
		log.Report(diag.IncompatibleOptions, "-emit-ptx", "-split-compile-extended", "-split-compile")
	case s.SplitCompile != usual:
		log.Report(diag.IncompatibleOptions, "-split-compile", "-split-compile-extended", "-split-compile-extended")
	}
}

// VirtualTarget reports whether the target is not a real machine: compute_90, lto_90. Nothing is written for
// such a target.
func (s *Settings) VirtualTarget() bool { return s.target().Kind != arch.Real }

// target returns the target of -arch. The parser has checked that it exists.
func (s *Settings) target() arch.Target {
	target, _ := s.Toolkit.Parse(s.Arch)
	return target
}

// MaxAPI returns the newest driver interface that code may need (-cuda-api-version), as major*10+minor. Without
// the option it returns 0, which allows every interface.
func (s *Settings) MaxAPI() uint32 {
	if !s.Given("cuda-api-version") {
		return 0
	}
	version, _ := readAPIVersion(s.CUDAAPIVersion, s.Toolkit)
	return version
}

// readAPIVersion reads the value of -cuda-api-version. It returns the version as major*10+minor, or the fatal
// message for an invalid value.
//
// The text is parsed like C's scanf does with "%u.%u ", including wrap-around. The minor number is at most that
// of the release. A negative one counts backwards, and the version wraps around below 0 (OPT-025).
func readAPIVersion(text string, toolkit *arch.Profile) (uint32, diag.ID) {
	major, rest, ok := scanUnsigned(text)
	if ok {
		rest, ok = strings.CutPrefix(rest, ".")
	}
	var minor uint32
	if ok {
		minor, rest, ok = scanUnsigned(rest)
	}
	switch {
	case !ok || strings.Trim(rest, blanks) != "":
		return 0, diag.APIVersionSyntax
	case major != uint32(toolkit.Major):
		return 0, diag.APIVersionMajor
	}
	return uint32(10*toolkit.Major) + uint32(min(int32(minor), int32(toolkit.Minor))), diag.None
}

// blanks are C's space characters.
const blanks = " \t\n\v\f\r"

// scanUnsigned parses a number like scanf's %u, and returns the text after it.
func scanUnsigned(text string) (value uint32, rest string, ok bool) {
	rest = strings.TrimLeft(text, blanks)
	negative := strings.HasPrefix(rest, "-")
	if negative || strings.HasPrefix(rest, "+") {
		rest = rest[1:]
	}
	end := 0
	for end < len(rest) && '0' <= rest[end] && rest[end] <= '9' {
		end++
	}
	if end == 0 {
		return 0, rest, false
	}
	// As in C, a number that is out of range becomes the largest number, with or without a sign.
	n, err := strconv.ParseUint(rest[:end], 10, 64)
	if negative && err == nil {
		n = -n
	}
	return uint32(n), rest[end:], true
}
