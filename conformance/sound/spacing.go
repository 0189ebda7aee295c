package sound

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/mercury"
	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/sass"
)

// From 13.1 on finalized code takes the time between products of matrices by other instructions than the compiler's, at places
// of which the rule is not wholly known (KIT-055). What only takes time does nothing else, so that it may stand anywhere: the
// judge moves it to where the output has it, and compares the rest.

// spacedAsWritten returns what the finalizer makes of f, the code of e, with what only takes time where it stands in the output,
// and the number of each instruction before (KIT-055). It returns result, and no numbers, where the code is the same or differs in more.
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

// spacedLike returns code with what only takes time where text has it, if both are the same otherwise; nil where both are the
// same, or differ in more.
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

// unpadded decodes machine code without the NOPs at its end.
func unpadded(text []byte) (code []sass.Instruction) {
	for ; len(text) > 0; text = text[sass.Size:] {
		code = append(code, sass.Decode(text))
	}
	for len(code) > 0 && code[len(code)-1].Op() == sass.OpNOP {
		code = code[:len(code)-1]
	}
	return code
}

// takesTime reports whether x does nothing but take time.
func takesTime(x sass.Instruction) bool {
	return x.IsDistance() || x.Low == sass.EmptyAddition.Low || isUniformSelfMove(x)
}

// isUniformSelfMove reports whether x moves a uniform register to itself, which code of 13.3 and later has not.
func isUniformSelfMove(x sass.Instruction) bool {
	const move = sass.OpUMOV | 6<<9 // from a uniform register
	return x.Opcode() == move && x.Field(16, 8) == x.Field(32, 8)
}

// sameButSpacing reports whether two capsules have the same records, except that one may be the short form of another, and that
// what takes time has none.
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

// recordsIn lists the records of Mercury instructions.
func recordsIn(c *capsule.Capsule) (list [][]byte) {
	for _, m := range c.Instructions() {
		if m.Record != nil {
			list = append(list, m.Record)
		}
	}
	return list
}

// sameRecord compares records by the part that the short form has as well.
func sameRecord(a, b []byte) bool {
	const short, head = 0x40, 4
	if len(a) == len(b) {
		return slices.Equal(a, b)
	}
	return a[0]|short == b[0]|short && slices.Equal(a[1:head], b[1:head])
}
