package cubintext

import (
	"github.com/culink/culink/linker/reloc"
)

// Relocation types go by name, R_CUDA_G64, or by number.

var relocationNumbers, relocationNames = func() (map[string]uint32, map[uint32]string) {
	numbers, names := map[string]uint32{}, map[uint32]string{}
	for t := range reloc.Types() {
		numbers[t.Name], names[t.Number] = t.Number, t.Name
	}
	return numbers, names
}()

// relocationNumber reads a relocation type.
func relocationNumber(l line, w word) (uint32, error) {
	if v, ok := relocationNumbers[w.text]; ok && w.mark == 0 {
		return v, nil
	}
	v, ok := parseNumber(w.text)
	if !ok || w.mark != 0 || w.quoted || v>>32 != 0 {
		return 0, l.errorAt(w, "relocation type expected, not %s", w)
	}
	return uint32(v), nil
}

func relocationWord(t uint32) word {
	if known, ok := relocationNames[t]; ok {
		return bare(known)
	}
	return number(uint64(t))
}
