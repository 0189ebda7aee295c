// Package sasstest assembles machine instructions for tests, from the text that disassemblers print with
// control fields:
//
//	[B0----5:R1:W2:Y:S04] @!P0 IADD3 R4, R5, R6.reuse, RZ
//
// The brackets contain the wait mask, the read and the write barrier, whether other warps may issue, and the
// stall. An instruction without brackets has no waits, no scoreboards and no stall. Only the forms of forms.go
// are known.
package sasstest

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/sass"
)

// An operand is a placeholder of a form: its syntax, and its field.
type operand struct {
	prefix    string // of a register
	at, width uint
	reuse     int // the bit of its operand-reuse slot; -1 if none
	scale     int64
}

// operands contains the placeholders by name.
var operands = map[string]operand{
	"Rd": {"R", 16, 8, -1, 1}, "Ra": {"R", 24, 8, 0, 1}, "Rb": {"R", 32, 8, 1, 1}, "Rc": {"R", 64, 8, 2, 1},
	"URd": {"UR", 16, 8, -1, 1}, "URa": {"UR", 24, 8, -1, 1}, "URb": {"UR", 32, 8, -1, 1}, "URc": {"UR", 64, 8, -1, 1},
	"Pd": {"P", 81, 3, -1, 1}, "Pq": {"P", 84, 3, -1, 1}, "Pp": {"P", 87, 3, -1, 1},
	"imm": {"", 32, 32, -1, 1}, "const": {"", 38, 16, -1, 1}, "offset": {"", 40, 24, -1, 1},
	"board": {"SB", 44, 3, -1, 1}, "count": {"", 38, 6, -1, 1}, "bar": {"B", 16, 4, -1, 1},
	"to": {"", 16, 0, -1, 4}, // a displacement in bytes: a quarter of it in 8 bits from bit 16 and 48 bits from bit 34
}

// A compiled form parses and prints the instructions of one form.
type compiled struct {
	base   sass.Instruction
	fields sass.Instruction // the bits of the operands
	names  []string         // of the operands, in the order of the text
	text   string           // with %s for the operands
	match  *regexp.Regexp
}

var (
	placeholder = regexp.MustCompile(`\{(\w+)\}`)
	line        = regexp.MustCompile(`^(?:\[B([-0-5]{6}):R([-0-5]):W([-0-5]):([-Y]):S(\d\d)\] )?(?:@(!?)U?P([0-7T]) )?(.*)$`)
	table       = compile()
)

func compile() (list []compiled) {
	for _, f := range forms {
		c := compiled{base: f.word, text: placeholder.ReplaceAllString(f.text, "%s")}
		pattern := regexp.QuoteMeta(f.text)
		for _, m := range placeholder.FindAllStringSubmatch(f.text, -1) {
			c.names = append(c.names, m[1])
			o := operands[m[1]]
			pattern = strings.Replace(pattern, `\{`+m[1]+`\}`, `(`+o.prefix+`(?:\d+|0x[0-9a-f]+|-0x[0-9a-f]+|Z|T)(?:\.reuse)?)`, 1)
			c.fields = o.set(c.fields, -1*o.scale)
		}
		c.match = regexp.MustCompile("^" + pattern + "$")
		list = append(list, c)
	}
	return list
}

// set returns x with a value in the field of an operand.
func (o operand) set(x sass.Instruction, v int64) sass.Instruction {
	if o.width == 0 {
		q := uint64(v / o.scale)
		x = put(x, o.at, 8, q)
		x = put(x, 34, 30, q>>8)
		return put(x, 64, 18, q>>38)
	}
	return put(x, o.at, o.width, uint64(v))
}

// get reads the field of an operand.
func (o operand) get(x sass.Instruction) int64 {
	if o.width == 0 {
		return int64((x.Field(16, 8)|x.Field(34, 30)<<8|x.Field(64, 18)<<38)<<8) >> 8 * o.scale
	}
	return int64(x.Field(o.at, o.width))
}

// put returns x with a changed field in one half.
func put(x sass.Instruction, at, width uint, v uint64) sass.Instruction {
	half := &x.Low
	if at >= 64 {
		half, at = &x.High, at-64
	}
	mask := uint64(1)<<width - 1
	*half = *half&^(mask<<at) | v&mask<<at
	return x
}

// Asm assembles an instruction. It panics if the text is not of a known form.
func Asm(text string) sass.Instruction {
	head := line.FindStringSubmatch(strings.TrimSpace(text))
	for i := range table {
		f := &table[i]
		m := f.match.FindStringSubmatch(head[8])
		if m == nil {
			continue
		}
		x, control := f.base, controlOf(head)
		for k, name := range f.names {
			o := operands[name]
			value, reuse := strings.CutSuffix(m[k+1], ".reuse")
			if reuse {
				control.Reuse |= 1 << o.reuse
			}
			x = o.set(x, o.number(value))
		}
		return put(x, 12, 4, guardOf(head)).WithControl(control)
	}
	panic(fmt.Sprintf("no form of %q", text))
}

// Program assembles lines of text. Empty lines are skipped.
func Program(text string) (code []sass.Instruction) {
	for l := range strings.Lines(text) {
		if l = strings.TrimSpace(l); l != "" {
			code = append(code, Asm(l))
		}
	}
	return code
}

// number parses an operand.
func (o operand) number(text string) int64 {
	switch text = text[len(o.prefix):]; text {
	case "Z", "T":
		return int64(1)<<o.width - 1
	}
	v, err := strconv.ParseInt(text, 0, 64)
	if err != nil {
		panic(err)
	}
	return v
}

// controlOf parses the control fields of a line.
func controlOf(head []string) sass.Control {
	c := sass.Control{Yield: true, Write: sass.NoBarrier, Read: sass.NoBarrier}
	if head[1] == "" {
		return c
	}
	for i, b := range head[1] {
		if b != '-' {
			c.Wait |= 1 << i
		}
	}
	c.Read, c.Write, c.Yield = barrierOf(head[2]), barrierOf(head[3]), head[4] == "Y"
	c.Stall, _ = strconv.Atoi(head[5])
	return c
}

// barrierOf parses a read or write barrier.
func barrierOf(text string) int {
	if text == "-" {
		return sass.NoBarrier
	}
	return int(text[0] - '0')
}

// guardOf parses the guard of a line.
func guardOf(head []string) uint64 {
	const always, not = 7, 8
	switch {
	case head[7] == "", head[7] == "T" && head[6] == "":
		return always
	case head[7] == "T":
		return always | not
	case head[6] == "":
		return uint64(head[7][0] - '0')
	}
	return uint64(head[7][0]-'0') | not
}

// Text returns the text of an instruction. If the form of the instruction is not known, it returns the words.
func Text(x sass.Instruction) string {
	const always, not = 7, 8
	plain := put(x, 12, 4, 0).WithControl(sass.Control{})
	for i := range table {
		f := &table[i]
		base := put(f.base, 12, 4, 0).WithControl(sass.Control{})
		if plain.Low&^f.fields.Low != base.Low&^f.fields.Low || plain.High&^f.fields.High != base.High&^f.fields.High {
			continue
		}
		if slices.ContainsFunc(f.names, func(name string) bool { return operands[name].get(x) >= 1<<40 }) {
			continue // no displacement is that long
		}
		values := make([]any, len(f.names))
		c := x.Control()
		for k, name := range f.names {
			o := operands[name]
			values[k] = o.text(x)
			if o.reuse >= 0 && c.Reuse>>o.reuse&1 == 1 {
				values[k] = o.text(x) + ".reuse"
				c.Reuse &^= 1 << o.reuse
			}
		}
		guard, text := x.Field(12, 4), fmt.Sprintf(f.text, values...)
		if name := "P" + strings.Replace(fmt.Sprint(guard&^not), "7", "T", 1); guard >= not {
			text = "@!" + name + " " + text
		} else if guard != always {
			text = "@" + name + " " + text
		}
		if c == (sass.Control{Yield: true, Write: sass.NoBarrier, Read: sass.NoBarrier}) {
			return text
		}
		if c.Reuse == 0 {
			return controlText(c) + " " + text
		}
	}
	return fmt.Sprintf("%016x %016x", x.High, x.Low)
}

// text returns the text of an operand.
func (o operand) text(x sass.Instruction) string {
	v := o.get(x)
	switch {
	case (o.prefix == "R" || o.prefix == "UR") && v == 255:
		return o.prefix + "Z"
	case o.prefix == "P" && v == 7:
		return "PT"
	case o.prefix != "":
		return o.prefix + fmt.Sprint(v)
	}
	return fmt.Sprintf("%#x", v)
}

// controlText returns the text in brackets.
func controlText(c sass.Control) string {
	barrier := func(b int) string { return strings.Replace(fmt.Sprint(b), fmt.Sprint(sass.NoBarrier), "-", 1) }
	wait := []byte("------")
	for i := range wait {
		if c.Wait>>i&1 == 1 {
			wait[i] = byte('0' + i)
		}
	}
	yield := "-"
	if c.Yield {
		yield = "Y"
	}
	return fmt.Sprintf("[B%s:R%s:W%s:%s:S%02d]", wait, barrier(c.Read), barrier(c.Write), yield, c.Stall)
}
