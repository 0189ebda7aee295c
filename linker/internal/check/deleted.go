package check

import (
	"fmt"
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
	"github.com/culink/culink/linker/reloc"
)

// Deleted ends the link if a part of the output refers to a section that is not in the output. There are four
// cases: discarded constants that -r refers to (MERGE-038); a handle among the parameters of a dropped kernel
// (LAYOUT-025); a section of a dropped function other than its code; and, in old releases, an alias of a
// dropped function.
func Deleted(m *program.Program, lost bool, log *diag.Log) bool {
	if lost || losesHandle(m) || aliasesDead(m) || outlivesCode(m) {
		log.Report(diag.InternalError, "reference to deleted section")
		return false
	}
	return true
}

// losesHandle reports whether a dropped kernel has a handle among its parameters, or slots that its compiler placed beside a
// Mercury half (LAYOUT-751).
func losesHandle(m *program.Program) bool {
	if slices.ContainsFunc(m.Sections, func(s *program.Section) bool { return s.HasSlots && s.Dead() }) {
		return true
	}
	return slices.ContainsFunc(m.Handles, func(y *program.Symbol) bool { return y.Section != nil && y.Section.Dead() })
}

// outlivesCode reports whether a section belongs to dropped code but nvlink does not drop it too. Such
// sections are local memory and constant banks. Two kinds of constant banks are dropped: the parameters of
// kernels, which the Mercury half lacks, and compiler-generated constants (MERGE-046). nvlink finds the parameters by the
// name of their bank.
func outlivesCode(m *program.Program) bool {
	return slices.ContainsFunc(m.Sections, func(s *program.Section) bool {
		switch {
		case s.State != program.Kept || !s.Dead() || s.Bank == cubin.CompilerBankNumber:
			return false
		case s.Bank == program.NoBank:
			return s.Type == cubin.SectionLocal
		case s.Bank == 0 && s.Fn.Entry:
			return s.Name != cubin.ParameterPrefix+s.Fn.Symbol.Name && !m.Options.Relocatable && !m.Options.PreserveRelocs
		case s.Bank == 0:
			return !m.HasMercury()
		}
		return true
	})
}

// aliasesDead reports whether the function of an alias is dropped. It applies to releases that do not drop
// aliases (KIT-080).
func aliasesDead(m *program.Program) bool {
	return !m.Target.Profile.Reach.RefusesLostAliases && slices.ContainsFunc(m.Functions, func(fn *program.Function) bool {
		return fn.Symbol.Alias != nil && fn.Symbol.Alias.Fn.Dead
	})
}

// InternalFunctions ends a link to an executable that keeps the code of a function with internal visibility: the
// executable lacks such symbols, and the section header of the code needs its own (REACH-931).
func InternalFunctions(r *reach.Reached, log *diag.Log) bool {
	if r.Options.Relocatable || r.Options.PreserveRelocs {
		return true
	}
	for _, fn := range r.Functions {
		if !fn.Dead && fn.Text != nil && fn.Symbol.Other&cubin.OtherVisibility == cubin.OtherInternal {
			log.Add(diag.New(diag.InternalError, reloc.Deleted.Fault()).Because(
				fmt.Errorf("function %s is internal", fn.Symbol.Name)))
			return false
		}
	}
	return true
}

// Aliases ends the link if an alias is live and its function is not, or the other way around. nvlink then
// loses the symbol (REACH-040).
func Aliases(r *reach.Reached, log *diag.Log) bool {
	if !r.Target.Profile.Reach.RefusesLostAliases {
		return true
	}
	for _, fn := range r.Functions {
		if fn.Symbol.Alias != nil && fn.Dead != fn.Symbol.Alias.Fn.Dead {
			log.Add(diag.New(diag.InternalError, reloc.Deleted.Fault()).Because(
				fmt.Errorf("alias %s of %s: only one of them is reached", fn.Symbol.Name, fn.Symbol.Alias.Name)))
			return false
		}
	}
	return true
}
