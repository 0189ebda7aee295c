package option

import (
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
)

// fastCompileLevels are the arguments of -Ofc; the parser lets any text pass, and
// only -lto looks at it (OPT-024).
var fastCompileLevels = []string{"0", "min", "mid", "max"}

// Check reports what is missing or does not go together, in the order of nvlink
// (OPT-020): a fatal message is the last. Nothing is to be checked when help or
// version were asked for.
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
	if s.PreserveRelocs && s.target().PreservesPartly() {
		log.Report(diag.NotFullyImplemented, "--preserve-relocs", s.Arch)
	}
	if s.RefusedDataCompatibility {
		log.Report(diag.UnknownOption, "-fdcmpt")
		return
	}
	if s.Given("cuda-api-version") {
		if id := checkAPIVersion(s.CUDAAPIVersion, s.Toolkit.Major); id != diag.None {
			log.Report(id)
		}
	}
}

// A refusal is the fatal message for options that no link takes; the zero value is none.
type refusal struct {
	id   diag.ID
	args []any
}

// report reports r, and whether it is one.
func (r refusal) report(log *diag.Log) bool {
	if r.id != diag.None {
		log.Report(r.id, r.args...)
	}
	return r.id != diag.None
}

// conflict is the refusal of two options that exclude each other.
func conflict(a, b string) refusal { return refusal{diag.ConflictingOptions, []any{a, b}} }

// refusalOfLink is the first of what is missing for a link or excludes it.
func (s *Settings) refusalOfLink() refusal {
	switch {
	case s.Arch == "":
		return refusal{diag.UnknownArch, []any{"(null)"}}
	case !s.Given("output-file") && !s.VirtualTarget():
		return refusal{diag.NoOutputFile, nil}
	case len(s.Inputs) == 0:
		return refusal{diag.NoInputFiles, nil}
	case s.SuppressDebugInfo && !s.Debug:
		return conflict("-suppress-debug-info", "no -g")
	case s.DumpCallgraph && s.DumpCallgraphNoDemangle:
		return conflict("-dump-callgraph", "-dump-callgraph-no-demangle")
	case s.UseHostInfo && s.IgnoreHostInfo:
		return conflict("-use-host-info", "-ignore-host-info")
	}
	return refusal{}
}

// refusalOfLTO is the first of the options of -lto that exclude each other or the target.
func (s *Settings) refusalOfLTO() refusal {
	lto := s.LTO()
	switch {
	case s.target().Kind == arch.LTO:
		return refusal{diag.VirtualTarget, []any{s.Arch}}
	case lto && !s.Given("nvvmpath"):
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

// checkSplitCompile says which of the options that do not go together with
// -split-compile-extended counts with -lto (OPT-029).
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

// VirtualTarget says whether the target names no machine: compute_90, lto_90.
// Nothing is written for such a target.
func (s *Settings) VirtualTarget() bool { return s.target().Kind != arch.Real }

// target is what -arch names; the parser has seen to it that it exists.
func (s *Settings) target() arch.Target {
	target, _ := s.Toolkit.Parse(s.Arch)
	return target
}

// checkAPIVersion returns the fatal message for a bad -cuda-api-version. A good one is
// at least the toolkit's own, and with it that of every input that is taken, so that
// it changes nothing.
//
// The text is read as C's scanf reads "%u.%u ", wrap-around included (OPT-025). A
// minor number that is negative when wrapped is refused here; nvlink refuses the
// inputs, in two ways.
func checkAPIVersion(text string, toolkit int) diag.ID {
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
		return diag.APIVersionSyntax
	case major != uint32(toolkit):
		return diag.APIVersionMajor
	case int32(minor) < 0:
		return diag.APIVersionSyntax
	}
	return diag.None
}

// blanks are the characters that C calls space.
const blanks = " \t\n\v\f\r"

// scanUnsigned reads what scanf reads for %u, and gives the text after it.
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
	// Out of range is the largest number, sign or not.
	n, err := strconv.ParseUint(rest[:end], 10, 64)
	if negative && err == nil {
		n = -n
	}
	return uint32(n), rest[end:], true
}
