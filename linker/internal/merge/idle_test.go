package merge

import (
	"encoding/binary"
	"testing"

	"github.com/culink/culink/linker/internal/program"
)

// TestIdle checks a file most of whose code is discarded. The few parts that the program keeps are copies,
// so that they stay valid when the file is unmapped.
func TestIdle(t *testing.T) {
	first := input("f weak func .text.f", code("f"))
	second := input("f weak func .text.f; k global func .text.k other=entry; v global data .nv.global.init other=global size=4",
		"section .nv.info\n\tattr FRAME_SIZE @k 8\n", "section .nv.info.k\n\tattr EXIT_INSTR_OFFSETS 48\n",
		code("f"), code("k"), "section .nv.global.init\n\tu32 7\n") + "# idle\n"
	m, said := link(t, program.Options{}, first, second)
	if said != "" {
		t.Fatal(said)
	}
	if v := binary.LittleEndian.Uint32(m.ByName[".nv.global.init"].Bytes()); v != 7 {
		t.Errorf("v is %d", v)
	}
	if word := binary.LittleEndian.Uint32(find(m, "k").Section.Bytes()); word != 0x794d {
		t.Errorf("k begins with %#x", word)
	}
	for r := range find(m, "k").Fn.Attributes.All() {
		if r.Word(0) != 48 {
			t.Errorf("an attribute of k: %+v", r)
		}
	}
	if a := m.Attributes[0]; a.Word(1) != 8 {
		t.Errorf("the attribute about k: %+v", a)
	}
	if len(m.ReadAgain) > 0 {
		t.Error("the file is read again")
	}
}
