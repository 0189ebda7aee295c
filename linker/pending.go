package linker

import "github.com/culink/culink/linker/nvinfo"

// symbolWords: interim, until nvinfo has it.
func symbolWords(r nvinfo.Record) []int {
	if r.Format != nvinfo.Sized || r.Words() == 0 {
		return nil
	}
	switch r.Code {
	case nvinfo.ParamCBank, nvinfo.FrameSize, nvinfo.MinStackSize, nvinfo.MaxStackSize, nvinfo.RegCount:
		return []int{0}
	case nvinfo.Externs:
		w := make([]int, r.Words())
		for i := range w {
			w[i] = i
		}
		return w
	}
	return nil
}

func symbolIndices(r nvinfo.Record) []uint32 {
	var out []uint32
	for _, w := range symbolWords(r) {
		out = append(out, r.Word(w))
	}
	return out
}
