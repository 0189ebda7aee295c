package sound

import "github.com/culink/culink/linker/hazard"

// losesProof reports whether got, the code of p with other scheduling than want, has a path
// on which an instruction uses registers too soon, and want has none (MERC-141).
func (p *piece) losesProof(want, got []byte) bool {
	verdict := func(text []byte) hazard.Verdict {
		return hazard.Check(hazard.Function{Text: text, SM: p.object.file.SM()}).Verdict
	}
	return verdict(got) == hazard.Unsafe && verdict(want) != hazard.Unsafe
}
