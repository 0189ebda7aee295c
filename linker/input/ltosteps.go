package input

import (
	"errors"
	"strings"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/lto"
)

// Lines that -v2 prints for the steps of the compiler of intermediate code, in their order (KIT-490).
const (
	stepCompiler  = " Running nvlink cicc-lto"
	stepLibrary   = "  Running LibNVVM module linking step"
	stepParse     = "  Running source modules parsing"
	stepLink      = "  Running modules linking"
	stepLTO       = "  Running LTO step"
	stepOptimise  = "  Running LibNVVM optimization step"
	stepGenerate  = "  Running LibNVVM code-generation step"
	stepAssembler = " Running nvlink ptxas-lto"
)

// reportSteps prints a line for each step of the compiler. modules is the number of its inputs, and err the
// compiler's error. A step that fails has the last line. Nothing is printed about a compiler that did
// not get to its first step.
func (l *loader) reportSteps(modules int, err error) {
	var refused *lto.RefusedError
	if !l.opt.LTO.Steps || err != nil && !errors.As(err, &refused) {
		return
	}
	last := stepAssembler
	if refused != nil {
		last = failedStep(refused.Said)
	}
	for _, step := range l.steps(modules) {
		l.log.Report(diag.OptimiserStep, step)
		if step == last {
			return
		}
	}
}

// steps returns the lines of a compilation that succeeds.
func (l *loader) steps(modules int) []string {
	steps := []string{stepCompiler}
	if l.target.Profile.Input.NamesLibraryStep {
		steps = append(steps, stepLibrary)
	}
	steps = append(steps, stepParse)
	if modules > 1 {
		steps = append(steps, stepLink)
	}
	return append(steps, stepLTO, stepOptimise, stepGenerate, stepAssembler)
}

// failedStep returns the step that the compiler's message is about. The message does not name it: options are
// read first, and only the step that links modules says that it does.
func failedStep(said string) string {
	const invalidOption, linkError = "NVVM_ERROR_INVALID_OPTION", ": link error: "
	switch {
	case strings.HasSuffix(said, invalidOption):
		return stepCompiler
	case strings.Contains(said, linkError):
		return stepLink
	}
	return stepParse
}
