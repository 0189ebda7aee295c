package program

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// A build that knows which kernels its host code launches names them with
// -kernels-used, and the variables that it touches with -variables-used. Only
// kernels of which one word of -kernels-used is a part of the name are roots then;
// -variables-used alone names none. Variables stay, whatever it says (REACH-030).

// Selects reports whether the kernel fn is a root of the link.
func (m *Program) Selects(fn *Function) bool {
	refers := m.HostKernels()
	return (refers == nil || refers(fn.Symbol.Name, fn.Symbol.Bind == cubin.BindLocal)) && m.isNamed(fn)
}

// HostKernels returns the kernels that host objects refer to, or nil if that is irrelevant.
func (m *Program) HostKernels() func(name string, internal bool) bool {
	if m.Options.HostKernels == nil {
		return nil
	}
	return m.Options.HostKernels(m.System)
}

// ChoosesKernels reports whether the link is for some kernels only, be it that all are.
func (m *Program) ChoosesKernels() bool { return m.Options.SelectsByName() || m.HostKernels() != nil }

// isNamed reports whether the options name the kernel fn, or none.
func (m *Program) isNamed(fn *Function) bool {
	return !m.Options.SelectsByName() || ContainsAny(fn.Symbol.Name, m.Options.KernelsUsed)
}

// SelectsAtFirst reports whether fn is a root by all that is known when it is merged: the
// options, and what host objects refer to where -lto has asked for it before (LTO-009).
func (m *Program) SelectsAtFirst(fn *Function) bool {
	if m.Options.HostKernelsFirst {
		return m.Selects(fn)
	}
	return m.isNamed(fn)
}

func ContainsAny(name string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// Chosen reports whether the kernel fn is one that the link is for. Others may stay, but
// half linked only (REACH-031, REACH-033). With -g all are chosen.
func (m *Program) Chosen(fn *Function) bool {
	return m.Options.DebugSymbols() || m.Selects(fn)
}

// SelectsByName reports whether the options name the used kernels or variables.
func (o *Options) SelectsByName() bool { return len(o.KernelsUsed)+len(o.VariablesUsed) > 0 }
