package codemap

import (
	"bytes"
	"testing"

	"github.com/culink/culink/linker/mercury/capsule"
)

// A record of registers that is cut anywhere is an error, and a whole one of a function that goes has no
// places (MERC-116, MERC-126).
func TestRegisters(t *testing.T) {
	gone := func(string) (Map, bool) { return Map{}, false }
	record := []byte("f\x00" + "\x02\x00\x00\x00" + "\x07\x00\x00\x00v\x00\x01\x00\x00\x00\x10\x00\x00\x00\x20\x00\x00\x00" + "\x08\x00\x00\x00w\x00\x02\x00\x00\x00\x30\x00\x00\x00\x40\x00\x00\x00")
	want := []byte("f\x00" + "\x02\x00\x00\x00" + "\x07\x00\x00\x00v\x00\x01\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00" + "\x08\x00\x00\x00w\x00\x02\x00\x00\x00" + "\x00\x00\x00\x00\x00\x00\x00\x00")
	whole := bytes.Clone(record)
	if err := Registers(whole, capsule.Place{}, gone); err != nil || !bytes.Equal(whole, want) {
		t.Errorf("%q, %v", whole, err)
	}
	for n := 1; n < len(record); n++ {
		if err := Registers(bytes.Clone(record[:n]), capsule.Place{}, gone); err == nil {
			t.Errorf("%d bytes of %d are a record", n, len(record))
		}
	}
	if err := Registers([]byte("\x00"+"\x01\x00\x00\x00"+"\x07\x00\x00\x00\x00"+"\x01\x00\x00\x00\x10\x00\x00\x00\x20\x00\x00\x00"), capsule.Place{}, gone); err != nil {
		t.Errorf("names without a letter: %v", err)
	}
}
