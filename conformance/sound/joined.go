package sound

import (
	"slices"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/nvinfo"
)

// Beside a Mercury half the plain records have one frame size for all functions of a code section. The frame of each stands
// in the Mercury half (MERC-224). So the checker judges such records by those of the Mercury half.

// framesOf returns the frame sizes in the records of a Mercury half, by the number of the function, for functions that lie
// in a code section together with another one.
func framesOf(symbols []cubin.Symbol, records []nvinfo.Record) map[uint32]uint32 {
	inSection, frames := map[uint32]int{}, map[uint32]uint32{}
	for i := range symbols {
		if y := &symbols[i]; y.Type == cubin.SymFunc && y.Defined() {
			inSection[y.Section]++
		}
	}
	for _, r := range records {
		if n := r.Word(0); r.Code == nvinfo.FrameSize && int(n) < len(symbols) && inSection[symbols[n].Section] > 1 {
			frames[n] = r.Word(1)
		}
	}
	return frames
}

// innerFrames returns the frame sizes of an input, as framesOf does.
func (o *object) innerFrames() map[uint32]uint32 {
	section := o.file.Section(".nv.merc.nv.info")
	if section == nil {
		return nil
	}
	return framesOf(o.symbols, o.infos[section.Index])
}

// unjoined returns the records of .nv.info of the output. Those with a frame size that another function of the same code
// has are replaced by those of the Mercury half.
func (c *checker) unjoined(records []nvinfo.Record) []nvinfo.Record {
	frames := framesOf(c.out.symbols, c.moduleRecords(cubin.SectionMercInfo, ".nv.merc.nv.info"))
	if !c.mercury || len(frames) == 0 {
		return records
	}
	records = slices.Clone(records)
	for i, r := range records {
		own, joined := frames[r.Word(0)]
		if r.Code != nvinfo.FrameSize || !joined {
			continue
		}
		for n, size := range frames {
			if size == r.Word(1) && c.out.symbols[n].Section == c.out.symbols[r.Word(0)].Section {
				records[i] = r.WithWord(1, own)
			}
		}
	}
	return records
}
