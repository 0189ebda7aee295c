package hazard

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/sass"
)

// A Function is machine code to check.
type Function struct {
	Name string
	Text []byte
	SM   int
	// Tables contains the targets of indirect branches, by the offset of the branch.
	Tables map[uint64][]uint64
}

// Functions returns the functions of a cubin, one for each section.
func Functions(f *cubin.File) ([]Function, error) {
	var list []Function
	for i := range f.Sections {
		s := &f.Sections[i]
		if s.Flags&cubin.FlagExec == 0 || !strings.HasPrefix(s.Name, textPrefix) {
			continue
		}
		fn, err := FunctionOf(f, s)
		if err != nil {
			return nil, err
		}
		list = append(list, fn)
	}
	return list, nil
}

const textPrefix = ".text."

// FunctionOf returns the function in a code section.
func FunctionOf(f *cubin.File, s *cubin.Section) (Function, error) {
	text, err := f.Data(s.Index)
	if err != nil {
		return Function{}, err
	}
	fn := Function{Name: strings.TrimPrefix(s.Name, textPrefix), Text: text, SM: f.SM()}
	if info := f.Section(".nv.info." + fn.Name); info != nil {
		data, err := f.Data(info.Index)
		if err != nil {
			return Function{}, err
		}
		records, _ := nvinfo.Decode(data)
		fn.Tables = Targets(records)
	}
	return fn, nil
}

// Targets reads the targets of indirect branches from the attributes of a function, by the offset of the branch.
// For each branch a record contains its offset, two 16-bit numbers, the number of targets, and the targets. In
// damaged attributes it reads the part before the damage.
func Targets(records []nvinfo.Record) map[uint64][]uint64 {
	found := map[uint64][]uint64{}
	for _, r := range records {
		if r.Code != nvinfo.BranchTargets {
			continue
		}
		word := func() (v uint32) {
			v, r.Payload = binary.LittleEndian.Uint32(r.Payload), r.Payload[4:]
			return v
		}
		for len(r.Payload) >= 12 {
			at := uint64(word())
			word()
			for n := word(); n > 0 && len(r.Payload) >= 4; n-- {
				found[at] = append(found[at], uint64(word()))
			}
		}
	}
	return found
}

// code decodes text without the padding at its end.
func (f *Function) code() ([]sass.Instruction, map[int][]int, error) {
	if len(f.Text)%sass.Size != 0 {
		return nil, nil, fmt.Errorf("%s: machine code is not a whole number of instructions: %d bytes", f.Name, len(f.Text))
	}
	const opNOP = 0x918
	code := make([]sass.Instruction, 0, len(f.Text)/sass.Size)
	for b := f.Text; len(b) > 0; b = b[sass.Size:] {
		code = append(code, sass.Decode(b))
	}
	for len(code) > 0 && code[len(code)-1].Opcode() == opNOP {
		code = code[:len(code)-1]
	}
	targets := map[int][]int{}
	for at, list := range f.Tables {
		for _, to := range list {
			targets[int(at/sass.Size)] = append(targets[int(at/sass.Size)], int(to/sass.Size))
		}
	}
	return code, targets, nil
}
