package tell

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/internal/program"
	"github.com/culink/culink/linker/internal/reach"
)

// The call graph is printed in two forms. -dump-callgraph prints a numbered line for each function,
// with its registers and the functions that it may call. -dot writes the edges as a graph for other
// tools (REACH-020, REACH-021). A call through a pointer becomes one edge to each function whose
// address is taken with that prototype.

// callees returns the functions that fn may call, in nvlink's order. Calls through pointers come
// first, by prototype. Direct calls follow, the last created first. A function is listed once for
// each way to call it.
func callees(m *program.Program, fn *program.Function, taken map[string][]*program.Function) []*program.Function {
	var callees program.FrontList[*program.Function]
	callees = append(callees, fn.Calls...)
	for _, prototype := range fn.CallsVia.All() {
		callees = append(callees, taken[prototype]...)
	}
	slices.Reverse(callees)
	return callees
}

// takenFunctions returns, for each prototype, the functions whose address is taken with it.
func takenFunctions(m *program.Program) map[string][]*program.Function {
	taken := map[string][]*program.Function{}
	for _, fn := range m.Functions {
		if fn.TakenAs != nil {
			taken[*fn.TakenAs] = append(taken[*fn.TakenAs], fn)
		}
	}
	return taken
}

const callGraphLegend = `
# A: s -> B // s (number A) potentially calls B
# s [N]     // s uses N registers
# ^s        // s is entry point
# &s        // s has address taken`

// CallGraph prints the call graph. Functions have the numbers of their creation. A dead function is
// an empty line.
func CallGraph(p *reach.Propagated, log *diag.Log) {
	if !p.Options.DumpCallgraph || p.Options.Relocatable {
		return
	}
	if len(p.Origins) == 0 {
		log.Report(diag.CallGraphText, "No relocatable objects found. Did not generate callgraph.")
		return
	}
	log.Report(diag.CallGraphText, fmt.Sprintf("callgraph for sm_%d:", p.Target.Number)+callGraphLegend)
	taken := takenFunctions(p.Reached.Program)
	registers, said := p.RegisterCounts()
	alone := p.ChosenAlone()
	for _, fn := range p.Functions {
		var line strings.Builder
		fmt.Fprintf(&line, "%d: ", fn.Order+1)
		if !fn.Dead {
			if e := p.EntryOf(fn); e != nil && !e.LeftOut || fn.Entry && fn.Text == nil && (alone == nil || alone == fn) {
				line.WriteByte('^')
			}
			if fn.TakenAs != nil {
				line.WriteByte('&')
			}
			line.WriteString(p.Options.ShownName(fn.Symbol.Name))
			if said[fn.Order] {
				fmt.Fprintf(&line, " [%d]", registers[fn.Order])
			}
			line.WriteString(" ->")
			for _, callee := range callees(p.Reached.Program, fn, taken) {
				fmt.Fprintf(&line, " %d", callee.Order+1)
			}
		}
		log.Report(diag.CallGraphText, line.String())
	}
}

// Dot returns the call graph in the language of Graphviz.
func Dot(m *program.Program) []byte {
	taken := takenFunctions(m)
	var b bytes.Buffer
	b.WriteString("digraph callgraph {\n")
	for _, fn := range m.Functions {
		if fn.Dead {
			continue
		}
		for _, callee := range callees(m, fn, taken) {
			if callee.Dead { // omitted (E-336)
				continue
			}
			fmt.Fprintf(&b, "%s -> %s;\n", fn.Symbol.Name, callee.Symbol.Name)
		}
	}
	b.WriteString("}\n")
	return b.Bytes()
}
