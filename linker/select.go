package linker

import (
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// A build that knows which kernels its host code launches names them with
// -kernels-used, and the variables that it touches with -variables-used. Only
// kernels of which one word of -kernels-used is a part of the name are roots then;
// -variables-used alone names none. Variables stay, whatever it says (REACH-030).

// selects tells whether the kernel fn is a root of the link.
func (m *merged) selects(fn *function) bool {
	o := m.options
	if o.HostKernel != nil && !o.HostKernel(fn.symbol.name, fn.symbol.bind == cubin.BindLocal, m.system) {
		return false
	}
	if !o.selectsByName() {
		return o.HostKernel == nil || o.HostKernel(fn.symbol.name, fn.symbol.bind == cubin.BindLocal, m.system)
	}
	for _, word := range o.KernelsUsed {
		if strings.Contains(fn.symbol.name, word) {
			return true
		}
	}
	return false
}

// selectsByName tells whether the options name what is used.
func (o *Options) selectsByName() bool { return len(o.KernelsUsed)+len(o.VariablesUsed) > 0 }
