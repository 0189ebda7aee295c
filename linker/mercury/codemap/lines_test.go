package codemap

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/mercury/capsule"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
)

// lineProgramOf returns a DWARF 2 line program. Its one-byte steps change the line by -10 to 234.
func lineProgramOf(instructions ...byte) []byte {
	lengths := []byte{0, 1, 1, 1, 1, 0, 0, 0, 1}
	head := append([]byte{1, 1, 0xf6, 245, byte(len(lengths) + 1)}, lengths...)
	head = append(head, 0, 0) // no folders, no files
	program := make([]byte, 4, 64)
	program = append(program, 2, 0)
	program = binary.LittleEndian.AppendUint32(program, uint32(len(head)))
	program = append(append(program, head...), instructions...)
	binary.LittleEndian.PutUint32(program, uint32(len(program)-4))
	return program
}

// A program in nvlink's form does not change. Two advances of the address for one row, which ptxas writes, do
// not change either (MERC-116).
func TestLinesThatStay(t *testing.T) {
	set := append([]byte{lineExtended, 9, lineSetAddress}, make([]byte, 8)...)
	end := []byte{lineExtended, 1, lineEndSequence}
	for name, rows := range map[string][]byte{
		"a row":                        {lineAdvance, 3, lineCopy, lineAdvancePC, 0x80, 3},
		"two rows":                     {lineAdvance, 3, lineCopy, lineAdvance, 1, lineAdvancePC, 0xc0, 0, lineCopy, lineAdvancePC, 0x80, 3},
		"an address without a row":     {lineAdvance, 3, lineCopy, lineAdvancePC, 0xd0, 2, lineAdvancePC, 0xb0, 2},
		"an address before the row":    {lineAdvancePC, 0x10, lineAdvancePC, 0x20, lineCopy, lineAdvancePC, 0x80, 3},
		"a row, two addresses, a row":  {lineAdvance, 3, lineCopy, lineAdvancePC, 0x10, lineAdvancePC, 0x20, lineCopy, lineAdvancePC, 0x80, 3},
		"no row":                       {lineAdvancePC, 0x80, 3},
		"a file that stays as it is":   {4, 1, lineAdvance, 3, lineCopy, lineAdvancePC, 0x80, 3},
		"an instruction on its own":    {lineExtended, 3, 0x90, 2, 13, lineAdvance, 3, lineCopy, lineAdvancePC, 0x80, 3},
		"an address before and behind": {lineAdvancePC, 0x10, lineAdvancePC, 0x20, lineCopy, lineAdvancePC, 0x10, lineAdvancePC, 0x30},
	} {
		section := lineProgramOf(append(append(append([]byte(nil), set...), rows...), end...)...)
		got, _, err := Lines(section, LineCopy{}, capsule.Place{}, false, func(uint64) Outcome { return Outcome{Kept: true} })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(got, section) {
			t.Errorf("%s:\n got %x\nwant %x", name, got, section)
		}
	}
}

// A program whose rows are no statements unless it says so (default_is_stmt) is read as any other, and its header stays. So is one
// with another minimum_instruction_length than 1, as nvlink reads it: addresses advance by what the operands say.
func TestLinesOfOtherHeaders(t *testing.T) {
	for _, header := range []struct{ length, isStatement byte }{{1, 0}, {0, 1}, {2, 1}, {255, 1}} {
		testHeader(t, header.length, header.isStatement)
	}
}

func testHeader(t *testing.T, length, isStatement byte) {
	t.Helper()
	section := lineProgramOf(append(append([]byte{lineExtended, 9, lineSetAddress}, make([]byte, 8)...),
		lineAdvance, 3, lineCopy, lineAdvancePC, 0x80, 3, lineExtended, 1, lineEndSequence)...)
	section[lineHead], section[lineHead+1] = length, isStatement
	got, _, err := Lines(section, LineCopy{}, capsule.Place{}, false, func(uint64) Outcome { return Outcome{Kept: true} })
	if err != nil || !bytes.Equal(got, section) {
		t.Errorf("length %d: %v\n got %x\nwant %x", length, err, got, section)
	}
}

// TestLinesBehindMoves checks a kept instruction at each place between rows and moves of the address
// (KIT-133).
func TestLinesBehindMoves(t *testing.T) {
	const prologue = 10
	set := append([]byte{lineExtended, 9, lineSetAddress}, make([]byte, 8)...)
	end := []byte{lineExtended, 1, lineEndSequence}
	for name, rows := range map[string][]byte{
		"behind a row":                {lineAdvance, 3, lineCopy, prologue, lineAdvancePC, 0x80, 3},
		"before the end":              {lineAdvance, 3, lineCopy, lineAdvancePC, 0x80, 3, prologue},
		"before a row":                {lineAdvance, 15, prologue, lineCopy, lineAdvance, 0, lineCopy, lineAdvancePC, 0x80, 3},
		"before a row of an address":  {lineAdvance, 15, lineAdvancePC, 0x20, prologue, lineCopy, lineAdvancePC, 0x80, 3},
		"between address and line":    {lineAdvancePC, 0x20, prologue, lineAdvance, 9, lineCopy, lineAdvancePC, 0x80, 3},
		"twice, and nothing to move":  {lineAdvance, 3, lineCopy, prologue, prologue, lineAdvancePC, 0x80, 3},
		"behind each of two advances": {lineAdvancePC, 0x10, prologue, lineAdvancePC, 0x20, prologue, lineCopy, lineAdvancePC, 0x80, 3},
	} {
		section := lineProgramOf(append(append(append([]byte(nil), set...), rows...), end...)...)
		// The base is raised so that one more instruction is below it.
		lengths := lineHead + 5
		section = slices.Insert(section, lengths+lineFixedAdd, 0)
		section[0]++
		section[6]++
		section[lineHead+4]++
		got, _, err := Lines(section, LineCopy{}, capsule.Place{}, false, func(uint64) Outcome { return Outcome{Kept: true} })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if !bytes.Equal(got, section) {
			t.Errorf("%s:\n got %x\nwant %x", name, got, section)
		}
	}
}

// TestLinesOfReplacedBehindMoves checks that a kept instruction belongs to the next row, or to the end, and
// that the address moves before it. If the other code has no instruction for that row, the kept instruction
// is dropped with the row (KIT-133).
func TestLinesOfReplacedBehindMoves(t *testing.T) {
	const prologue = 10
	set := append([]byte{lineExtended, 9, lineSetAddress}, make([]byte, 8)...)
	end := []byte{lineExtended, 1, lineEndSequence}
	long, short := append([]byte{2}, make([]byte, 31)...), append([]byte{1}, make([]byte, 15)...)
	c, err := capsule.Open(machinetest.Capsule(long, short, machinetest.AsTheyAre(6)), capsule.Place{})
	if err != nil {
		t.Fatal(err)
	}
	code := c.Code(make([]byte, 0x80)) // instructions at 0 and 0x20 of the Mercury form, and at 0 and 0x10 of the machine code
	for name, tt := range map[string]struct{ rows, want []byte }{
		"before a row that stays": {
			[]byte{lineAdvance, 3, lineCopy, prologue, lineAdvance, 11, lineAdvancePC, 0x20, lineCopy, lineAdvancePC, 0x60},
			[]byte{lineAdvance, 3, lineCopy, lineAdvance, 0, lineCopy, prologue, lineAdvance, 11, lineAdvancePC, 0x10, lineCopy, lineAdvancePC, 0xf0, 0},
		},
		"before a row that goes": {
			[]byte{lineAdvance, 3, lineCopy, prologue, lineAdvance, 11, lineAdvancePC, 0x30, lineCopy, lineAdvancePC, 0x50},
			[]byte{lineAdvance, 3, lineCopy, lineAdvance, 0, lineCopy, lineAdvancePC, 0x80, 1},
		},
		"before the end": {
			[]byte{lineAdvance, 3, lineCopy, prologue, lineAdvancePC, 0x80, 1},
			[]byte{lineAdvance, 3, lineCopy, lineAdvance, 0, lineCopy, lineAdvancePC, 0x80, 1, prologue},
		},
	} {
		program := func(rows []byte) []byte {
			section := lineProgramOf(append(append(append([]byte(nil), set...), rows...), end...)...)
			section = slices.Insert(section, lineHead+5+lineFixedAdd, 0) // one more instruction below its base
			section[0]++
			section[6]++
			section[lineHead+4]++
			return section
		}
		section := program(tt.rows)
		inner := LineCopy{Section: section, Number: func(uint64) uint32 { return 7 }}
		got, _, err := Lines(section, inner, capsule.Place{}, false, func(uint64) Outcome { return Outcome{Kept: true, Number: 7, Replaced: code} })
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if want := program(tt.want); !bytes.Equal(got, want) {
			t.Errorf("%s:\n got %x\nwant %x", name, got, want)
		}
	}
}

// A program of version 3 is read like one of version 2 (KIT-056), and one without rows may have the end of a
// sequence (KIT-052).
func TestLinesOfVersion3(t *testing.T) {
	section := lineProgramOf()
	section[4] = 3
	end := []byte{lineExtended, 1, lineEndSequence}
	got, _, err := Lines(section, LineCopy{}, capsule.Place{}, true, func(uint64) Outcome { return Outcome{} })
	want := append(bytes.Clone(section), end...)
	want[0] += byte(len(end))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%v\n got %x\nwant %x", err, got, want)
	}
}

// A special opcode is one advance and one row. The smallest special opcode is the first number after the
// other opcodes.
func TestLinesOfSpecialInstructions(t *testing.T) {
	set := append([]byte{lineExtended, 9, lineSetAddress}, make([]byte, 8)...)
	end := []byte{lineAdvancePC, 0x80, 1, lineExtended, 1, lineEndSequence}
	read := func(rows ...byte) []byte {
		section := lineProgramOf(slices.Concat(set, rows, end)...)
		got, _, err := Lines(section, LineCopy{}, capsule.Place{}, false, func(uint64) Outcome { return Outcome{Kept: true} })
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	const base = 10 // moves back by ten lines
	if got, want := read(lineAdvance, 15, base), read(lineAdvance, 5, lineCopy); !bytes.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
	if got, want := read(lineAdvance, 15, base+12), read(lineAdvance, 17, lineCopy); !bytes.Equal(got, want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
}

// A section that ends after the fixed part of a header has an invalid header, not a truncated one.
func TestShortestLineHeader(t *testing.T) {
	section := lineProgramOf()[:lineHead+5]
	section[0] = lineHead + 1
	for size, want := range map[int]string{lineHead + 4: "shorter than its header", lineHead + 5: "wrong header"} {
		_, _, err := Lines(section[:size], LineCopy{}, capsule.Place{}, false, func(uint64) Outcome { return Outcome{Kept: true} })
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes: %v, want %s", size, err, want)
		}
	}
}

// A header that is longer than its program, if only by one byte, is wrong: what it takes belongs to the next program.
func TestLongestLineHeader(t *testing.T) {
	for more, want := range map[int]string{0: "", 1: "wrong header"} {
		section := lineProgramOf()
		length := len(section)
		binary.LittleEndian.PutUint32(section[6:], uint32(length+more-lineHead))
		section = append(section, lineProgramOf()...)
		_, _, err := Lines(section, LineCopy{}, capsule.Place{}, false, func(uint64) Outcome { return Outcome{Kept: true} })
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%d bytes more than the program: %v, want %q", more, err, want)
		}
	}
}
