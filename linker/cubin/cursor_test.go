package cubin

import "testing"

// TestCursorPastTheEnd checks that a read past the end returns zero, and that the first such read
// sets the error.
func TestCursorPastTheEnd(t *testing.T) {
	c := &cursor{file: &File{Name: "f"}, part: "p", data: []byte{1, 2, 3}, base: 0x40}
	if c.u16() != 0x201 || c.err != nil {
		t.Fatal(c.err)
	}
	if c.u64() != 0 || c.u32() != 0 || c.u16() != 0 || c.bytes(1) != nil {
		t.Error("not zero")
	}
	if c.err == nil || c.err.Error() != "f: p: truncated at 0x42: 8 bytes wanted, 1 left" {
		t.Error(c.err)
	}
}
