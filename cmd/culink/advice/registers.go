package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
)

// registerLimit explains the register limit of a kernel. It shows the calls that lead to the function that needs more
// registers.
func (a *Adviser) registerLimit(args []any) (facts []Fact) {
	kernel, callee := fmt.Sprint(args[0]), fmt.Sprint(args[2])
	for _, o := range a.objects() {
		for _, y := range o.symbols {
			if y.Type != cubin.SymFunc || !y.Defined() {
				continue
			}
			if y.Name == kernel {
				facts = append(facts, Fact{"limit", fmt.Sprintf("%v registers for %s in %s, by %s", args[1], a.source(kernel), o.name, o.limiter(kernel))})
			}
			if y.Name == callee {
				facts = append(facts, Fact{"needs", fmt.Sprintf("%v registers: %s in %s", args[3], a.source(callee), o.name)})
			}
		}
	}
	direct, indirect := a.calls()
	if path := pathTo(kernel, callee, direct); path != nil {
		for i, fn := range path {
			path[i] = a.source(fn)
		}
		facts = append(facts, Fact{"called", strings.Join(path, " -> ")})
	} else {
		for fn := range a.reached(kernel) {
			if indirect[fn] {
				facts = append(facts, Fact{"pointer", a.source(fn) + " calls through a pointer, which may be to " + a.source(callee)})
				break
			}
		}
	}
	return append(facts, Fact{"try", fmt.Sprintf("compile the file of %s with -maxrregcount=%v as well; or let %s have more: fewer threads or blocks in its __launch_bounds__, or a larger -maxrregcount", a.source(callee), args[1], a.source(kernel))})
}

// limiter returns the option or attribute that may limit the registers of a kernel.
func (o *object) limiter(kernel string) string {
	s := o.file.Section(".nv.info." + kernel)
	if s == nil {
		return "-maxrregcount"
	}
	data, err := o.file.Data(s.Index)
	if err != nil {
		return "-maxrregcount"
	}
	records, _ := nvinfo.Decode(data) // the records before any damage
	i := slices.IndexFunc(records, func(r nvinfo.Record) bool { return r.Code == nvinfo.MaxThreads && r.Words() >= 3 })
	if i < 0 {
		return "-maxrregcount or __maxnreg__"
	}
	return fmt.Sprintf("its __launch_bounds__ (up to %d threads in a block) or -maxrregcount", records[i].Word(0)*records[i].Word(1)*records[i].Word(2))
}

// pathTo returns a shortest path of calls, including both ends. It returns nil if there is none.
func pathTo(from, to string, direct map[string][]string) []string {
	before := map[string]string{from: ""}
	for list := []string{from}; len(list) > 0; list = list[1:] {
		if list[0] == to {
			var path []string
			for fn := to; fn != ""; fn = before[fn] {
				path = append(path, fn)
			}
			slices.Reverse(path)
			return path
		}
		for _, callee := range direct[list[0]] {
			if _, seen := before[callee]; !seen {
				before[callee] = list[0]
				list = append(list, callee)
			}
		}
	}
	return nil
}

// compilerConstants lists the functions that contribute to a kernel's bank of compiler constants.
func (a *Adviser) compilerConstants(args []any) []Fact {
	reached := a.reached(fmt.Sprint(args[0]))
	pieces := a.constantPieces(func(fn string) bool { return reached[fn] })
	if pieces == nil {
		return nil
	}
	return append(largest(pieces), Fact{"try", "compile the files of the largest with " + withoutConstants + ": their code then has the constants in its instructions"})
}

// withoutConstants are nvcc's options for code without compiler constants.
const withoutConstants = "-Xptxas --disable-optimizer-constants"

// constantPieces returns the compiler constants of the functions that are in a set.
func (a *Adviser) constantPieces(isIn func(fn string) bool) (pieces []piece) {
	for _, o := range a.objects() {
		for i := range o.file.Sections {
			s := &o.file.Sections[i]
			if fn, ok := strings.CutPrefix(s.Name, cubin.CompilerConstantPrefix); ok && isIn(fn) {
				pieces = append(pieces, piece{s.Size, fmt.Sprintf("constants of %s in %s", a.source(fn), o.name)})
			}
		}
	}
	return pieces
}

// internalError explains the one internal error that a build can avoid. It returns nil for the others.
func (a *Adviser) internalError(args []any) []Fact {
	if args[0] != diag.CopiedConstants {
		return nil
	}
	facts := []Fact{{"means", "a kernel has more constants of the compiler than its bank holds, and a function with such constants is defined in several files, as templates and inline functions are"}}
	facts = append(facts, largest(a.constantPieces(func(string) bool { return true }))...)
	return append(facts, Fact{"try", "compile the files of the largest with " + withoutConstants + "; or link as CUDA 13.4 does (culink --toolkit 13.4, or CULINK_TOOLKIT=13.4), which may accept these files"})
}
