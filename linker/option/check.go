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
	fail := func(id diag.ID, args ...any) { log.Report(id, args...) }
	conflict := func(a, b string) { fail(diag.ConflictingOptions, a, b) }

	if s.HostLinkerScript != "" {
		if len(s.Inputs) > 0 {
			fail(diag.InputsNotAllowed)
		}
		return
	}
	switch {
	case s.Arch == "":
		fail(diag.UnknownArch, "(null)")
		return
	case !s.Given("output-file") && !s.VirtualTarget():
		fail(diag.NoOutputFile)
		return
	case len(s.Inputs) == 0:
		fail(diag.NoInputFiles)
		return
	case s.SuppressDebugInfo && !s.Debug:
		conflict("-suppress-debug-info", "no -g")
		return
	case s.DumpCallgraph && s.DumpCallgraphNoDemangle:
		conflict("-dump-callgraph", "-dump-callgraph-no-demangle")
		return
	case s.UseHostInfo && s.IgnoreHostInfo:
		conflict("-use-host-info", "-ignore-host-info")
		return
	}
	if s.UseHostInfo && len(s.KernelsUsed)+len(s.VariablesUsed) > 0 {
		log.Report(diag.IgnoreUseHostInfo)
	}
	lto := s.LTO()
	switch {
	case s.target().Kind == arch.LTO:
		fail(diag.VirtualTarget, s.Arch)
		return
	case lto && !s.Given("nvvmpath"):
		fail(diag.NVVMPathMissing)
		return
	case s.ForcePartialLTO && !lto:
		conflict("-force-partial-lto", "no -dlto")
		return
	case s.ForceWholeLTO && !lto:
		conflict("-force-whole-lto", "no -dlto")
		return
	case s.Partial() && s.ForceWholeLTO:
		conflict("-force-partial-lto", "-force-whole-lto")
		return
	case s.LatestOptimiser && !lto: // KIT-147
		conflict("-nvvm-latest", "no -dlto")
		return
	case s.EmitPTX && !lto:
		conflict("-emit-ptx", "no -dlto")
		return
	case s.Given("Ofast-compile") && !lto:
		conflict("--Ofast-compile", "no -dlto")
		return
	}
	if lto {
		s.checkSplitCompile(log)
	}
	switch {
	case s.Given("Ofast-compile") && !slices.Contains(fastCompileLevels, s.FastCompile):
		fail(diag.InvalidArgument, "--Ofast-compile")
		return
	}
	if s.PreserveRelocs && s.target().PreservesPartly() {
		log.Report(diag.NotFullyImplemented, "--preserve-relocs", s.Arch)
	}
	if s.RefusedDataCompatibility {
		fail(diag.UnknownOption, "-fdcmpt")
		return
	}
	if s.Given("cuda-api-version") {
		if id := checkAPIVersion(s.CUDAAPIVersion, s.Toolkit.Major); id != diag.None {
			fail(id)
		}
	}
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
