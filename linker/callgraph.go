package linker

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/culink/culink/linker/diag"
)

// The call graph as a reader sees it: -dump-callgraph prints a numbered line for
// each function, with its registers and who it may call, -dot writes the edges as
// a graph for other tools (REACH-020, REACH-021). A call through a pointer shows as
// one edge to each function whose address is taken as that prototype.

// callees gives the functions that fn may call as nvlink lists them: calls through
// pointers first, prototype by prototype, then direct calls, the last created
// first. A function stands there once for each way to call it.
func (m *merged) callees(fn *function, taken map[string][]*function) []*function {
	var callees frontList[*function]
	callees = append(callees, fn.calls...)
	for _, prototype := range fn.callsVia.all() {
		callees = append(callees, taken[prototype]...)
	}
	slices.Reverse(callees)
	return callees
}

// takenFunctions gives the functions whose address is taken, by prototype.
func (m *merged) takenFunctions() map[string][]*function {
	taken := map[string][]*function{}
	for _, fn := range m.functions {
		if fn.takenAs != nil {
			taken[*fn.takenAs] = append(taken[*fn.takenAs], fn)
		}
	}
	return taken
}

const callGraphLegend = `
# A: s -> B // s (number A) potentially calls B
# s [N]     // s uses N registers
# ^s        // s is entry point
# &s        // s has address taken`

// dumpCallGraph prints the call graph. Functions have the numbers of their
// creation; a dead one is an empty line.
func dumpCallGraph(p *propagated, log *diag.Log) {
	if !p.options.DumpCallgraph || p.options.Relocatable {
		return
	}
	if len(p.origins) == 0 {
		log.Report(diag.CallGraphText, "No relocatable objects found. Did not generate callgraph.")
		return
	}
	log.Report(diag.CallGraphText, fmt.Sprintf("callgraph for sm_%d:", p.target.Number)+callGraphLegend)
	taken := p.takenFunctions()
	registers, _ := p.registerCounts()
	for _, fn := range p.functions {
		var line strings.Builder
		fmt.Fprintf(&line, "%d: ", fn.order+1)
		if !fn.dead {
			if e := p.entryOf[fn]; e != nil && !e.leftOut {
				line.WriteByte('^')
			}
			if fn.takenAs != nil {
				line.WriteByte('&')
			}
			line.WriteString(p.options.shownName(fn))
			if fn.text != nil {
				fmt.Fprintf(&line, " [%d]", registers[fn.order])
			}
			line.WriteString(" ->")
			for _, callee := range p.callees(fn, taken) {
				fmt.Fprintf(&line, " %d", callee.order+1)
			}
		}
		log.Report(diag.CallGraphText, line.String())
	}
}

// dotCallGraph gives the call graph in the language of Graphviz.
func dotCallGraph(m *merged) []byte {
	taken := m.takenFunctions()
	var b bytes.Buffer
	b.WriteString("digraph callgraph {\n")
	for _, fn := range m.functions {
		if fn.dead {
			continue
		}
		for _, callee := range m.callees(fn, taken) {
			if callee.dead { // nvlink crashes
				continue
			}
			fmt.Fprintf(&b, "%s -> %s;\n", fn.symbol.name, callee.symbol.name)
		}
	}
	b.WriteString("}\n")
	return b.Bytes()
}

// EmptyDot is the call graph of a link without functions.
func EmptyDot() []byte { return dotCallGraph(&merged{}) }

// shownName is the name of a function for people.
func (o *Options) shownName(fn *function) string {
	if o.Demangle == nil {
		return fn.symbol.name
	}
	return o.Demangle(fn.symbol.name)
}
