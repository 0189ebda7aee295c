package program

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Pieces that are assembled as they come give the bytes that pieces assembled later give, and do not refer to the inputs.
func TestAssemble(t *testing.T) {
	pieces := []Piece{
		{Offset: 0, Size: 3, Data: []byte("one")},
		{Offset: 4, Size: 3, Data: []byte("two")},
		{Offset: 16, Size: 5, Data: []byte("three")},
	}
	for _, room := range []uint64{0, 7, 21, 100} {
		var at, later Content
		at.Assemble(room)
		for _, p := range pieces {
			later.Add(p)
			p.Data = append([]byte(nil), p.Data...)
			at.Add(p)
			clear(p.Data)
		}
		at.PutUint32(4, 0x11223344)
		later.PutUint32(4, 0x11223344)
		if at.Held() != later.Held() || at.Borrowed() || !at.Present() {
			t.Errorf("room %d: %d bytes, want %d; borrowed %v, present %v", room, at.Held(), later.Held(), at.Borrowed(), at.Present())
		}
		if diff := cmp.Diff(later.Bytes(), at.Bytes()); diff != "" {
			t.Errorf("room %d: %s", room, diff)
		}
	}
}

// The parts can be left at any of them.
func TestPartsBreak(t *testing.T) {
	var whole, pieces Content
	whole.setBytes([]byte("onetwo"))
	pieces.Add(Piece{Size: 3, Data: []byte("one")})
	pieces.Add(Piece{Offset: 3, Size: 3, Data: []byte("two")})
	for _, c := range []*Content{&whole, &pieces} {
		for p := range c.Parts() {
			if p.Offset != 0 {
				t.Errorf("the part at %d follows the end", p.Offset)
			}
			break
		}
	}
}

// Contents that exist stay as they are.
func TestAssembleOfPieces(t *testing.T) {
	var c Content
	c.Add(Piece{Size: 3, Data: []byte("one")})
	if c.Assemble(3); !c.Borrowed() {
		t.Error("the first piece is lost")
	}
}

// The list of pieces grows once if each input adds the same number of pieces.
func TestExpectedPieces(t *testing.T) {
	const inputs = 1000
	var c Content
	grown, room := 0, 0
	for i := range inputs {
		c.Expect(inputs, i)
		c.Add(Piece{Offset: uint64(i), Size: 1})
		if cap(c.Pieces) != room && i >= 16 {
			grown++
		}
		room = cap(c.Pieces)
	}
	if grown != 1 || room > inputs+inputs/8 {
		t.Errorf("the list grew %d times, to room for %d pieces", grown, room)
	}
}
