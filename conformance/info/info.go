// Package info implements the command "cuconform info". It shows what package inspect reads. For code of sm_100 and
// later it also shows how a final link would change it.
package info

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/culink/culink/conformance/commandline"
	"github.com/culink/culink/linker/edgname"
	"github.com/culink/culink/linker/inspect"
	"github.com/culink/culink/linker/show"
)

// Command returns the command "cuconform info FILE...". If a file cannot be opened or read completely, the exit status
// is Misuse, and the readable parts are shown (CONF-008).
func Command() commandline.Command {
	return commandline.Command{
		Name: "info", Summary: "say what is in cubins, fat binaries, objects, programs, archives", Arguments: "FILE...",
		Setup: setup,
	}
}

func setup(flags *flag.FlagSet) commandline.Action {
	asJSON := flags.Bool("json", false, "print JSON")
	schedules := flags.Bool("schedule", false, "print the schedule of each function, and whether it is safe")
	demangle := flags.Bool("demangle", false, "print C++ names as the source has them")
	sums := flags.Bool("totals", false, "print sums over all files, by target, section and function")
	against := flags.String("against", "", "print in what the sums differ from those of an earlier `FILE`")
	return func(_ context.Context, args []string, stdout, _ io.Writer) (int, error) {
		if err := commandline.Expect(args, 1, -1); err != nil {
			return 0, err
		}
		files, status, err := readAll(args)
		if err != nil {
			return 0, err
		}
		var earlier []*inspect.Part
		if *against != "" {
			var worse int
			if earlier, worse, err = readAll([]string{*against}); err != nil {
				return 0, err
			}
			status = max(status, worse)
		}
		name := func(symbol string) string { return symbol }
		if *demangle {
			name = edgname.Demangle
		}
		switch {
		case *against != "":
			if totalsOf(files, name).printAgainst(stdout, totalsOf(earlier, name)) {
				status = max(status, commandline.Differs)
			}
			return status, nil
		case *sums && *asJSON:
			return status, writeJSON(stdout, totalsOf(files, name))
		case *sums:
			totalsOf(files, name).print(stdout)
			return status, nil
		}
		for _, p := range files {
			rename(p, name)
		}
		return status, showAll(stdout, files, *schedules, *asJSON)
	}
}

// readAll reads files. The status tells whether one of them is damaged.
func readAll(names []string) (files []*inspect.Part, status int, err error) {
	status = commandline.OK
	for _, name := range names {
		p, err := readFile(name)
		if err != nil {
			return nil, 0, err
		}
		if p.Damaged() {
			status = commandline.Misuse
		}
		files = append(files, p)
	}
	return files, status, nil
}

// showAll prints the contents of files.
func showAll(w io.Writer, files []*inspect.Part, schedules, asJSON bool) error {
	var parts []*part
	for _, p := range files {
		parts = append(parts, view(p, schedules))
	}
	if asJSON {
		return writeJSON(w, parts)
	}
	for _, p := range parts {
		p.print(w, 0)
	}
	return nil
}

func writeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(show.JSONWriter(w))
	e.SetIndent("", "  ")
	return e.Encode(v)
}

func (p *part) print(w io.Writer, depth int) {
	pad := strings.Repeat("  ", depth)
	fmt.Fprintf(w, "%s%s: %s", pad, show.Line(p.Name), p.Kind)
	if p.Cubin != nil && p.Cubin.Unlinked {
		fmt.Fprint(w, ", not linked")
	}
	fmt.Fprintf(w, ", %d bytes", p.Size)
	if p.Packed != "" {
		fmt.Fprintf(w, ", packed with %s", p.Packed)
	}
	fmt.Fprintln(w)
	if p.Cubin != nil {
		p.Cubin.print(w, pad+"  ")
	}
	if p.Error != "" {
		fmt.Fprintf(w, "%s  error: %s\n", pad, show.Line(p.Error))
	}
	for _, q := range p.Parts {
		q.print(w, depth+1)
	}
}

func (c *device) print(w io.Writer, pad string) {
	line := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%s%-12s%s\n", pad, name, show.Line(fmt.Sprintf(format, args...)))
	}
	line("target", "%s, %s, ABI %d", c.Target, c.File, c.ABI)
	if c.Toolkit != "" {
		line("compiled", "for %s, toolkit %s", c.Virtual, c.Toolkit)
	}
	for _, t := range c.Tools {
		line("tool", "%s, %s, %s", t.Name, t.Release, t.Options)
	}
	for _, m := range c.Memory {
		line("memory", "%s %d bytes", m.Section, m.Size)
	}
	for i := range c.Functions {
		fn := &c.Functions[i]
		kind := "function"
		if fn.Kernel {
			kind = "kernel"
		}
		line(kind, "%s", fn.Name)
		fmt.Fprintf(w, "%s  %s\n", pad, show.Line(strings.Join(fn.needs(), ", ")))
		fn.printSchedule(w, pad+"  ")
	}
	for _, name := range c.Undefined {
		line("undefined", "%s", name)
	}
	for _, feature := range c.Features {
		line("uses", "%s", feature)
	}
}

// needs lists the resources that a function needs, as text.
func (fn *function) needs() []string {
	list := []string{fmt.Sprintf("%d bytes code", fn.Code), commandline.Count(int(fn.Registers), "register")}
	add := func(ok bool, format string, args ...any) {
		if ok {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(fn.Finalizer != "", "finalizer: %s", fn.Finalizer)
	const anyNumber = 255
	add(fn.MaxRegisters != 0 && fn.MaxRegisters != anyNumber, "at most %d", fn.MaxRegisters)
	add(fn.Barriers > 0, "%s", commandline.Count(int(fn.Barriers), "barrier"))
	add(fn.Frame > 0, "frame %d", fn.Frame)
	if fn.Stack != nil {
		add(true, "stack %d", *fn.Stack)
	}
	add(fn.StackUnknown, "stack unknown")
	add(fn.Shared > 0, "shared %d", fn.Shared)
	for _, m := range fn.Constants {
		add(true, "%s %d", strings.TrimPrefix(m.Section, ".nv."), m.Size)
	}
	if n := len(fn.Parameters); n > 0 {
		last := fn.Parameters[n-1]
		add(true, "%s of %d bytes", commandline.Count(n, "parameter"), uint64(last.Offset)+uint64(last.Size))
	}
	add(fn.Threads != nil, "at most %v threads", fn.Threads)
	add(fn.Required != nil, "%v threads", fn.Required)
	add(fn.Cluster != nil, "clusters of %v", fn.Cluster)
	return list
}
