package hazard

import (
	"fmt"
	"io"
	"strings"

	"github.com/culink/culink/linker/sass"
)

// A Control contains the scheduling fields of an instruction.
type Control struct {
	Stall    int   `json:"stall"`              // cycles until the next instruction may start
	Waits    []int `json:"waits,omitempty"`    // scoreboards that it waits for
	Results  *int  `json:"results,omitempty"`  // scoreboard for its results
	Operands *int  `json:"operands,omitempty"` // scoreboard for its operands
}

// ControlOf decodes the scheduling fields of x.
func ControlOf(x sass.Instruction) Control {
	c := Control{Stall: int(stall(x)), Results: boardOf(writeBoard(x)), Operands: boardOf(readBoard(x))}
	for b := range 6 {
		if waits(x)>>b&1 == 1 {
			c.Waits = append(c.Waits, b)
		}
	}
	return c
}

func boardOf(b int8) *int {
	if b == untracked {
		return nil
	}
	n := int(b)
	return &n
}

// String returns the fields as text: "stall 2, waits 0,1, results 3".
func (c Control) String() string {
	text := fmt.Sprintf("stall %d", c.Stall)
	for _, f := range []struct{ name, value string }{{"waits", c.waitNames()}, {"results", boardName(c.Results)}, {"operands", boardName(c.Operands)}} {
		if f.value != "" {
			text += ", " + f.name + " " + f.value
		}
	}
	return text
}

// waitNames lists the scoreboards in the wait mask, as 0,3.
func (c Control) waitNames() string {
	names := make([]string, len(c.Waits))
	for i, b := range c.Waits {
		names[i] = fmt.Sprint(b)
	}
	return strings.Join(names, ",")
}

func boardName(b *int) string {
	if b == nil {
		return ""
	}
	return fmt.Sprint(*b)
}

// A Line is one instruction of a schedule, with the findings of [Check].
type Line struct {
	Offset uint64 `json:"offset"`
	Opcode uint16 `json:"opcode"`
	Control
	Findings []string `json:"findings,omitempty"`
}

// Schedule returns the verdict about a function, and a line for each instruction.
func Schedule(f Function) (Verdict, []Line) {
	r := Check(f)
	code, _, err := f.code()
	if err != nil {
		return r.Verdict, nil
	}
	lines := make([]Line, len(code))
	for i, x := range code {
		lines[i] = Line{Offset: uint64(i) * sass.Size, Opcode: x.Opcode(), Control: ControlOf(x)}
	}
	for _, found := range r.Findings {
		if i := found.Offset / sass.Size; i < uint64(len(lines)) {
			lines[i].Findings = append(lines[i].Findings, fmt.Sprintf("%v: %s", found.Verdict, found.Reason))
		}
	}
	return r.Verdict, lines
}

// WriteSchedule writes a line for each instruction of a function: its offset and opcode, its stall cycles, its
// wait mask, the scoreboards for its results and operands, and the findings of [Check].
func WriteSchedule(w io.Writer, f Function) error {
	verdict, lines := Schedule(f)
	if _, err := fmt.Fprintf(w, "%s: %v\n  offset opcode stall  waits   results operands\n", f.Name, verdict); err != nil {
		return err
	}
	for _, l := range lines {
		line := fmt.Sprintf("  %06x %#5x  %5d  %-7s %-7s %s", l.Offset, l.Opcode, l.Stall, l.waitNames(), boardName(l.Results), boardName(l.Operands))
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
		for _, text := range l.Findings {
			if _, err := fmt.Fprintf(w, "         %s\n", text); err != nil {
				return err
			}
		}
	}
	return nil
}
