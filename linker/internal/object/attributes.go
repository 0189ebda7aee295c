package object

import (
	"encoding/binary"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// Attributes are checked when an input is loaded, but read only when they are needed. Of the many copies of
// a weak function only one prevails, and the attributes of the others are never needed.

// checkAttributes checks the attributes in .nv.info section s, and records the register counts of functions.
func (o *Object) checkAttributes(s *cubin.Section) error {
	data, _ := o.File.DataAhead(s.Index)
	remade := o.isRemade(s)
	for r, err := range nvinfo.Records(data, len(o.Data(s.Index))) {
		if remade && (err != nil || !ofMachineCode(r.Code) || r.Incomplete()) {
			continue
		}
		if err != nil {
			cut := err.(*nvinfo.FormatError)
			return o.Damaged("section "+s.Name, int64(s.Offset)+int64(cut.Offset), cut.Msg, cut.Value)
		}
		if r.Incomplete() {
			return o.Damaged("section "+s.Name, int64(s.Offset), "attribute without its symbol or number", r.Code)
		}
		if index, ok := lastSymbol(r); ok && o.isWild(index) {
			return o.Damaged("section "+s.Name, int64(s.Offset), "attribute of a symbol that does not exist", index)
		}
		if r.Code == nvinfo.RegCount && len(r.Payload) >= 8 && o.hasSymbol(r) {
			o.countRegisters(binary.LittleEndian.Uint32(r.Payload), binary.LittleEndian.Uint32(r.Payload[4:]))
		}
	}
	return nil
}

// A RegCount is the register count that EIATTR_REGCOUNT gives for a function, if there is one.
type RegCount struct {
	Number uint32
	Said   bool
}

// countRegisters records the register count of a function. symbol is the function's symbol.
func (o *Object) countRegisters(symbol, number uint32) {
	if o.RegCounts == nil {
		o.RegCounts = make([]RegCount, len(o.Symbols))
	}
	if int(symbol) < len(o.RegCounts) {
		o.RegCounts[symbol] = RegCount{number, true}
	}
}

// Registers returns the register count of the function of y. said reports whether an attribute gives one.
func (o *Object) Registers(y *cubin.Symbol) (number uint32, said bool) {
	if int(y.Index) >= len(o.RegCounts) {
		return 0, false
	}
	count := o.RegCounts[y.Index]
	return count.Number, count.Said
}

// lastSymbol returns the largest symbol index in r.
func lastSymbol(r nvinfo.Record) (index uint32, ok bool) {
	index, ok = r.Symbol()
	if r.Code == nvinfo.Externs {
		for k := range r.Words() {
			index, ok = max(index, r.Word(k)), true
		}
	}
	return index, ok
}

// hasSymbol reports whether the symbol of r exists, or r needs none. nvlink omits attributes whose symbol
// does not exist (DIAG-302).
func (o *Object) hasSymbol(r nvinfo.Record) bool {
	index, ok := r.Symbol()
	return !ok || r.Code == nvinfo.Externs || r.MayLackSymbol() || int(index) < len(o.Symbols)
}

// isRemade reports whether the finalizer regenerates the attributes of s. If so, only those that refer to
// places in the machine code are used (MERC-311).
func (o *Object) isRemade(s *cubin.Section) bool {
	return s.Type == cubin.SectionInfo && o.HasMercury() && (s.Info != 0 || o.Mercury.OfModule)
}

// Attributes returns the attributes of .nv.info section i, or of its Mercury form, as the link uses them.
// The result uses the memory of room if it fits.
func (o *Object) Attributes(i uint32, room []nvinfo.Record) []nvinfo.Record {
	if o.Mercury == nil {
		return o.ownAttributes(i, room)
	}
	if same, ok := o.Mercury.sameInfo.at(i); ok && !o.OwnAttributes {
		i = same
	}
	records := o.ownAttributes(i, room)
	for k, ok := o.Mercury.infos.at(i); ok; k, ok = o.Mercury.moreInfos.at(k) {
		records = o.finalAttributes(records, k)
	}
	if s := &o.File.Sections[i]; o.TellsISA && s.Type == cubin.SectionMercInfo && s.Info != 0 {
		records = nvinfo.WithMercuryISA(records)
	}
	return records
}

// ownAttributes reads the attributes of section i itself.
func (o *Object) ownAttributes(i uint32, room []nvinfo.Record) []nvinfo.Record {
	s := &o.File.Sections[i]
	records, _ := o.Records(i, room)
	kept, remade := records[:0], o.isRemade(s)
	for _, r := range records {
		if remade && (!ofMachineCode(r.Code) || r.Incomplete()) || !o.hasSymbol(r) {
			continue
		}
		kept = append(kept, r)
	}
	return kept
}

// Records reads the attributes or compatibility records of section i. The result uses the memory of room if
// it fits.
func (o *Object) Records(i uint32, room []nvinfo.Record) ([]nvinfo.Record, error) {
	ahead, _ := o.File.DataAhead(i)
	return nvinfo.AppendRecords(room[:0], ahead, len(o.Data(i)))
}
