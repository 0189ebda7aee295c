package linker

import (
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// A build that knows which kernels its host code launches names them with
// -kernels-used, and the variables that it touches with -variables-used. Only
// kernels of which one word of -kernels-used is a part of the name are roots then;
// -variables-used alone names none. Variables stay, whatever it says (REACH-030).

// selects tells whether the kernel fn is a root of the link.
func (m *merged) selects(fn *function) bool {
	refers := m.hostKernels()
	return (refers == nil || refers(fn.symbol.name, fn.symbol.bind == cubin.BindLocal)) && m.isNamed(fn)
}

// hostKernels tells which kernels host objects refer to; nil when that decides nothing.
func (m *merged) hostKernels() HostKernel {
	if m.options.HostKernels == nil {
		return nil
	}
	return m.options.HostKernels(m.system)
}

// choosesKernels tells whether the link is for some kernels only, be it that all are.
func (m *merged) choosesKernels() bool { return m.options.selectsByName() || m.hostKernels() != nil }

// isNamed tells whether the options name the kernel fn, or none.
func (m *merged) isNamed(fn *function) bool {
	return !m.options.selectsByName() || containsAny(fn.symbol.name, m.options.KernelsUsed)
}

func containsAny(name string, words []string) bool {
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(name, word) })
}

// chosen tells whether the kernel fn is one that the link is for. Others may stay, but
// half linked only (REACH-031). With -g all are chosen.
func (m *merged) chosen(fn *function) bool {
	return m.options.debugSymbols() || m.selects(fn)
}

// loneKernel gives the only kernel that the options choose; nil for none or several.
func (m *merged) loneKernel() (lone *function) {
	for _, fn := range m.functions {
		if !fn.entry || fn.text == nil || !m.chosen(fn) || !m.options.keepsDeadCode() && !m.selects(fn) {
			continue
		}
		if lone != nil {
			return nil
		}
		lone = fn
	}
	return lone
}

// selectsByName tells whether the options name what is used.
func (o *Options) selectsByName() bool { return len(o.KernelsUsed)+len(o.VariablesUsed) > 0 }
