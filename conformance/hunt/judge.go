package hunt

import (
	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/conformance/versus"
)

// judge runs the steps of a trial with both linkers, up to the first step that differs or fails. Intended differences are
// recognised from cubins on the command line. So a trial with host objects that differs is judged without them too, and is
// intended if it then differs in the same way.
func (h *hunter) judge(t *trial) (v versus.Verdict, err error) {
	v, err = h.judgeSteps(t)
	if err != nil || v.Class == "" || len(t.hosts) == 0 {
		return v, err
	}
	plain := t.clone()
	plain.hosts, plain.archive = nil, nil
	if w, err := h.judgeSteps(plain); err == nil && w.Choice != "" && w.Chosen == v.Class {
		return w, nil
	}
	return v, nil
}

func (h *hunter) judgeSteps(t *trial) (v versus.Verdict, err error) {
	files, err := t.files(h.oracle)
	if err != nil {
		return v, err
	}
	pair := h.pair
	pair.Linker, pair.Reference = h.linker, h.reference
	if h.server != nil {
		pair.Server = h.server
	}
	var functions codematch.Count
	for _, s := range t.steps() {
		if v, err = pair.Judge(files, s); err != nil {
			return v, err
		}
		functions.Add(v.Functions)
		v.Functions = functions
		if v.Class != "" && s.Output == partialOutput {
			v.Class = "partial " + v.Class
		}
		if v.Class != "" || v.Choice != "" || v.Reference.Output == nil {
			break
		}
		files[s.Output] = v.Reference.Output
	}
	return v, nil
}
