package sound

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/sass"
)

// The finalizer inserts instructions that only take time, for example between matrix multiplications. From 13.1 on it
// inserts them at other places than the compiler, and the rule for these places is not completely known (KIT-055). Such
// an instruction has no other effect and may be anywhere. So the checker moves these instructions to their places in the
// output and compares everything else.

// spacedAsWritten returns what the finalizer makes of f, the code of e, with the spacing instructions moved to their
// places in the output. It also returns the former number of each instruction (KIT-055). If nothing needs to move, or if
// the code differs in more than spacing, it returns result and no numbers.
func (c *checker) spacedAsWritten(e *entity, f mercury.Function, result mercury.Result) (mercury.Result, []int) {
	for i := range c.out.symbols {
		y := &c.out.symbols[i]
		if y.Name != e.name || y.Type != cubin.SymFunc || !y.Defined() {
			continue
		}
		text := c.out.data[y.Section]
		var lines []mercury.Line
		spaced, err := mercury.FinalizeEdited(f, func(code []sass.Instruction) []mercury.Line {
			lines = spacedLike(code, text)
			return lines
		})
		if err == nil && lines != nil && len(spaced.Text) == len(text) {
			numbers := make([]int, len(lines))
			for k, l := range lines {
				numbers[k] = l.Number
			}
			return spaced, numbers
		}
	}
	return result, nil
}

// spacedLike returns code with the spacing instructions at their places in text. It returns nil if code and text are
// equal, or if they differ in more than spacing.
func spacedLike(code []sass.Instruction, text []byte) (spaced []mercury.Line) {
	if len(text) == 0 || len(text)%sass.Size != 0 {
		return nil
	}
	like := unpadded(text)
	different := false
	for number := 0; number < len(code) || len(like) > 0; {
		switch left := number < len(code); {
		case left && len(like) > 0 && code[number].Opcode() == like[0].Opcode() && isUniformSelfMove(code[number]) == isUniformSelfMove(like[0]):
			spaced = append(spaced, mercury.Line{Instruction: code[number], Number: number})
			number, like = number+1, like[1:]
		case left && takesTime(code[number]):
			number, different = number+1, true
		case left && len(like) > 0 && takesTime(like[0]):
			spaced = append(spaced, mercury.Line{Instruction: like[0], Number: number, Inserted: true})
			like, different = like[1:], true
		default:
			return nil
		}
	}
	if !different {
		return nil
	}
	return spaced
}

// unpadded decodes machine code and drops the NOPs at its end.
func unpadded(text []byte) (code []sass.Instruction) {
	for ; len(text) > 0; text = text[sass.Size:] {
		code = append(code, sass.Decode(text))
	}
	for len(code) > 0 && code[len(code)-1].Op() == sass.OpNOP {
		code = code[:len(code)-1]
	}
	return code
}

// takesTime reports whether x is a spacing instruction: it has no effect except the time that it takes.
func takesTime(x sass.Instruction) bool {
	return x.IsDistance() || x.Low == sass.EmptyAddition.Low || isUniformSelfMove(x)
}

// isUniformSelfMove reports whether x moves a uniform register to itself. From 13.3 on, code has no such instructions.
func isUniformSelfMove(x sass.Instruction) bool {
	const move = sass.OpUMOV | 6<<9 // the form with a uniform register as source
	return x.Opcode() == move && x.Field(16, 8) == x.Field(32, 8)
}

// sameButSpacing reports whether two capsules have the same records. One record may be the short form of the other, and
// spacing instructions need no record.
func sameButSpacing(a, b []byte) bool {
	x, err := capsule.Open(a, capsule.Place{})
	if err != nil {
		return false
	}
	y, err := capsule.Open(b, capsule.Place{})
	if err != nil {
		return false
	}
	return slices.EqualFunc(recordsIn(x), recordsIn(y), sameRecord)
}

// recordsIn lists the records of the Mercury instructions in a capsule.
func recordsIn(c *capsule.Capsule) (list [][]byte) {
	for _, m := range c.Instructions() {
		if m.Record != nil {
			list = append(list, m.Record)
		}
	}
	return list
}

// sameRecord compares two records. If one has the short form, it compares only the part that this form has.
func sameRecord(a, b []byte) bool {
	const short, head = 0x40, 4
	if len(a) == len(b) {
		return slices.Equal(a, b)
	}
	return a[0]|short == b[0]|short && slices.Equal(a[1:head], b[1:head])
}
