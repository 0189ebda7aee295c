package linker

import (
	"errors"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
)

// damagedInput is the message for an input that cannot be read.
func damagedInput(err error) diag.Diagnostic {
	name, detail := "", err.Error()
	var format *cubin.FormatError
	if errors.As(err, &format) {
		name = format.File
	}
	return diag.New(diag.DamagedInput, name, detail).Because(err)
}

// reportStacks warns of each kernel whose stack no one can know (STACK-002).
func reportStacks(p *propagated, log *diag.Log) {
	if p.options.SuppressStackSizeWarning || p.options.Relocatable {
		return
	}
	for i := len(p.entries) - 1; i >= 0; i-- {
		if e := p.entries[i]; p.needs[e].stack == stackUnknown {
			log.Report(diag.StackUnknown, e.fn.symbol.name)
		}
	}
}
