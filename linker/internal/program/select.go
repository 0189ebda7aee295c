package program

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// A build that knows which kernels its host code launches lists them in -kernels-used, and the variables that
// it uses in -variables-used. Only kernels whose name contains a word of -kernels-used are then roots.
// -variables-used alone selects no kernel. Variables are never removed (REACH-030).

// Selects reports whether the kernel fn is a root of the link.
func (m *Program) Selects(fn *Function) bool {
	refers := m.HostKernels()
	return (refers == nil || refers(fn.Symbol.Name, fn.Symbol.Bind == cubin.BindLocal)) && m.isNamed(fn)
}

// HostKernels returns a function that reports to which kernels host objects refer, or nil if that has no
// effect on the link.
func (m *Program) HostKernels() func(name string, internal bool) bool {
	if m.Options.HostKernels == nil {
		return nil
	}
	return m.Options.HostKernels(m.SystemParts)
}

// ChoosesKernels reports whether the link is for selected kernels only, even if all kernels are selected.
func (m *Program) ChoosesKernels() bool { return m.Options.SelectsByName() || m.HostKernels() != nil }

// isNamed reports whether the options name the kernel fn. It is true for every kernel if they name none.
func (m *Program) isNamed(fn *Function) bool {
	return !m.Options.SelectsByName() || ContainsAny(fn.Symbol.Name, m.Options.KernelsUsed)
}

// SelectsAtFirst reports whether fn is a root according to what is known when it is merged. That is the
// options, and with -lto also the references of host objects if these were requested (LTO-009).
func (m *Program) SelectsAtFirst(fn *Function) bool {
	if m.Options.HostKernelsFirst {
		return m.Selects(fn)
	}
	return m.isNamed(fn)
}

func ContainsAny(name string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// Chosen reports whether the link is for the kernel fn. Other kernels may stay, but are only partly linked
// (REACH-031, REACH-033). With -g the link is for all kernels.
func (m *Program) Chosen(fn *Function) bool {
	return m.Options.DebugSymbols() || m.Selects(fn)
}

// SelectsByName reports whether the options name the used kernels or variables.
func (o *Options) SelectsByName() bool { return len(o.KernelsUsed)+len(o.VariablesUsed) > 0 }
