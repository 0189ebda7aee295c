package diff

import (
	"encoding/binary"
	"io/fs"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
)

// If files have too many small parts, the comparison ends at a memory budget, and the report states this. A report keeps
// few of many differences, but counts all of them (CONF-016).
func TestBudget(t *testing.T) {
	data, err := fs.ReadFile(corpus.Files, "basic/one-kernel/sm_80/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	const notes = 1 << 16
	a, b := withNotes(t, data, notes, 1), withNotes(t, data, notes, 2)
	r, err := Compare(a, b, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Differences) > 3*mostDifferences || r.More < notes/4 || !strings.Contains(strings.Join(r.NotCompared, "\n"), "the budget of a comparison") {
		t.Errorf("%d differences, %d more, not compared: %q", len(r.Differences), r.More, r.NotCompared)
	}
	if !strings.Contains(r.String(), "that are not shown") {
		t.Error("the report does not say that differences are left out")
	}
	// Parts beyond the budget are compared as bytes, so a difference in them is still found.
	r, err = Compare(a, withNotes(t, data, notes, 1, 3), Options{Ignore: []string{"section.*", "note.*"}})
	if err != nil || len(r.Differences) == 0 {
		t.Errorf("a difference beyond the budget is none: %v", err)
	}
}

// A section whose records would need more memory than the budget is compared as bytes (CONF-016).
func TestLargeSection(t *testing.T) {
	data, err := fs.ReadFile(corpus.Files, "basic/one-kernel/sm_80/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	const notes = 1 << 18
	r, err := Compare(withNotes(t, data, notes, 1), withNotes(t, data, notes, 2), Options{})
	if err != nil || len(r.Differences) != 1 || r.First().Key != "section.note.nv.cuinfo.bytes" || !strings.Contains(r.NotCompared[0], "the records of section .note.nv.cuinfo") {
		t.Errorf("%v, %v", r, err)
	}
}

// If the records of a section are within the budget in one file and exceed it in the other, the section is compared by its
// bytes in both (CONF-016).
func TestSectionNearTheLimit(t *testing.T) {
	data, err := fs.ReadFile(corpus.Files, "basic/one-kernel/sm_80/in/k.cubin")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Compare(withNotes(t, data, 110_000, 1), withNotes(t, data, 120_000, 1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Differences) > 10 || r.More > 0 {
		t.Errorf("%d differences, %d more, first %v", len(r.Differences), r.More, r.First())
	}
}

// Keys that many facts have are numbered in time linear in them.
func TestTakenKeys(t *testing.T) {
	f := newFacts(8 << 20)
	for range 100_000 {
		f.words(RankSymbols, "s", "s", "")
	}
	if f.get("s#100000") == nil || f.get("s#100001") != nil || f.get("s") == nil {
		t.Error("keys are not numbered one after another")
	}
}

// withNotes returns a cubin whose .note.nv.tkinfo ends with empty notes of type typ. If last is given, the last note has
// that type instead.
func withNotes(t *testing.T, data []byte, count int, typ uint32, last ...uint32) []byte {
	t.Helper()
	f, err := cubin.Open("k", data)
	if err != nil {
		t.Fatal(err)
	}
	var notes []byte
	for i := range count {
		if i == count-1 && last != nil {
			typ = last[0]
		}
		notes = binary.LittleEndian.AppendUint32(append(notes, make([]byte, 8)...), typ)
	}
	image := cubin.Image{Header: f.Header}
	at := uint64(len(data))
	for i, s := range f.Sections {
		content, err := f.Data(uint32(i))
		if err != nil {
			t.Fatal(err)
		}
		if s.Name == ".note.nv.cuinfo" {
			content = append(append([]byte(nil), content...), notes...)
			s.Offset, s.Size = at, uint64(len(content))
			at += s.Size
		}
		image.Sections = append(image.Sections, cubin.ImageSection{Section: s, Data: content})
	}
	image.Size = at
	encoded, err := image.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return encoded
}
