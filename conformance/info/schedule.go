package info

import (
	"fmt"
	"io"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/inspect"
)

// addSchedules adds the schedules of a cubin's functions (MERC-142).
func (c *device) addSchedules(p *inspect.Part) {
	f, err := cubin.Open(p.Name, p.Data)
	if err != nil {
		return // inspect says why
	}
	code, err := hazard.Functions(f)
	if err != nil {
		return
	}
	byName := map[string][]hazard.Function{} // local functions may have the same name
	for _, fn := range code {
		byName[fn.Name] = append(byName[fn.Name], fn)
	}
	for i := range c.Functions {
		fn := &c.Functions[i]
		same := byName[fn.Name]
		if len(same) == 0 {
			continue
		}
		byName[fn.Name] = same[1:]
		var verdict hazard.Verdict
		verdict, fn.Schedule = hazard.Schedule(same[0])
		fn.Safety = verdict.String()
	}
}

// printSchedule prints the schedule of a function, with a line for each instruction.
func (fn *function) printSchedule(w io.Writer, pad string) {
	if fn.Safety == "" {
		return
	}
	fmt.Fprintf(w, "%sschedule: %s\n", pad, fn.Safety)
	for _, l := range fn.Schedule {
		fmt.Fprintf(w, "%s  %06x %#5x  %v\n", pad, l.Offset, l.Opcode, l.Control)
		for _, text := range l.Findings {
			fmt.Fprintf(w, "%s         %s\n", pad, text)
		}
	}
}
