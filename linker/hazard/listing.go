package hazard

import (
	"fmt"
	"io"
	"strings"

	"github.com/culink/culink/linker/sass"
)

// WriteSchedule writes a line for each instruction of a function: its offset and opcode,
// how many cycles it stalls, the scoreboards that it waits for, those that count its
// results and its operands, and what [Check] has to say of it.
func WriteSchedule(w io.Writer, f Function) error {
	r := Check(f)
	if _, err := fmt.Fprintf(w, "%s: %v\n  offset opcode stall  waits   results operands\n", f.Name, r.Verdict); err != nil {
		return err
	}
	code, _, err := f.code()
	if err != nil {
		return err
	}
	for i, x := range code {
		at := uint64(i) * sass.Size
		line := fmt.Sprintf("  %06x %#5x  %5d  %-7s %-7s %s", at, x.Opcode(), stall(x), boards(waits(x)), boardName(writeBoard(x)), boardName(readBoard(x)))
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
		for _, finding := range r.Findings {
			if finding.Offset != at {
				continue
			}
			if _, err := fmt.Fprintf(w, "         %v: %s\n", finding.Verdict, finding.Reason); err != nil {
				return err
			}
		}
	}
	return nil
}

// boards lists the scoreboards of a mask, as 0,3.
func boards(mask uint64) string {
	var names []string
	for b := range int8(6) {
		if mask>>b&1 == 1 {
			names = append(names, boardName(b))
		}
	}
	return strings.Join(names, ",")
}

func boardName(b int8) string {
	if b == untracked {
		return ""
	}
	return fmt.Sprint(b)
}
