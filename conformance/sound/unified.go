package sound

import (
	"encoding/binary"
	"fmt"
	"strings"

	"github.com/culink/culink/linker/cubin"
)

// The sections .nv.uft.entry and .nv.udt.entry list the functions and variables that have one address in all modules of
// a process. A record consists of symbol, flags, value and key. Each such function has a stub: code in a separate
// section (LAYOUT-115).

// Prefixes of the names of a stub's sections.
const (
	stubPrefix  = ".nv.uft.rel."
	stubCapsule = ".nv.capmerc" + stubPrefix
)

// isStubCapsule reports whether s is the Mercury code of a stub. Its entry size is that of the stub.
func isStubCapsule(s *cubin.Section) bool { return strings.HasPrefix(s.Name, stubCapsule) }

// checkUnified checks that a relocatable file has the records of the inputs, in their order.
func (c *checker) checkUnified() {
	if !c.link.Relocatable {
		return
	}
	for _, name := range [...]string{".nv.uft.entry", ".nv.udt.entry"} {
		want := c.unifiedEntries(name)
		for _, copied := range [...]string{name, ".nv.merc" + name} {
			s := c.out.file.Section(copied)
			if s == nil {
				if len(want) > 0 && (copied == name || c.mercury) {
					c.report("unified"+copied, "a table", "none")
				}
				continue
			}
			data, err := c.out.file.Data(s.Index)
			for i := 0; err == nil && i < max(len(data), len(want)); i += cubin.UnifiedEntrySize {
				got, has := recordAt(data, i), recordAt(want, i)
				if got != has {
					c.report(fmt.Sprintf("unified%s.%d", copied, i/cubin.UnifiedEntrySize), fmt.Sprintf("%x", has), "%x", got)
				}
			}
		}
	}
}

// recordAt returns the record at offset i of data, or an empty string after the end of data.
func recordAt(data []byte, i int) string {
	return string(data[min(i, len(data)):min(i+cubin.UnifiedEntrySize, len(data))])
}

// unifiedEntries returns the records that the output must have in the table called name.
func (c *checker) unifiedEntries(name string) (want []byte) {
	const linked = 6
	for _, o := range c.program.objects {
		s := o.file.Section(name)
		if s == nil {
			continue
		}
		data, err := o.file.Data(s.Index)
		for ; err == nil && len(data) >= cubin.UnifiedEntrySize; data = data[cubin.UnifiedEntrySize:] {
			symbol := binary.LittleEndian.Uint32(data)
			if int(symbol) >= len(o.entities) || o.entities[symbol] == nil || o.entities[symbol].out == nil {
				c.report("unified"+name, "a symbol of the output", "symbol %d of %s", symbol, o.name)
				continue
			}
			y := o.entities[symbol].out
			want = binary.LittleEndian.AppendUint32(want, y.Index)
			want = binary.LittleEndian.AppendUint32(want, binary.LittleEndian.Uint32(data[4:])|linked)
			want = binary.LittleEndian.AppendUint64(want, y.Value)
			want = append(want, data[16:cubin.UnifiedEntrySize]...)
		}
	}
	return want
}
