package cubintext

// relocationNumber reads a relocation type.
func relocationNumber(l line, w word) (uint32, error) {
	v, err := l.number64(w)
	if err == nil && v>>32 != 0 {
		err = l.errorAt(w, "%s does not fit into 32 bits", w)
	}
	return uint32(v), err
}

func relocationWord(t uint32) word { return number(uint64(t)) }
