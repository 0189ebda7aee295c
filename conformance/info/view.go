package info

import (
	"strings"

	"github.com/culink/culink/conformance/codematch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/inspect"
)

// A part is a part of the result of package inspect, with the changes that a final link would make to each function.

type part struct {
	*inspect.Part
	Cubin *device `json:"cubin,omitempty"`
	Parts []*part `json:"parts,omitempty"`
}

type device struct {
	*inspect.Cubin
	Functions []function `json:"functions,omitempty"`
}

type function struct {
	*inspect.Function
	Finalizer string `json:"finalizer,omitempty"` // of code of sm_100 and later: "clean" for nothing

	Safety   string        `json:"safety,omitempty"` // safety of the schedule
	Schedule []hazard.Line `json:"schedule,omitempty"`
}

// view adds the changes, and optionally the schedules, to a part and to the parts inside it.
func view(p *inspect.Part, schedules bool) *part {
	v := &part{Part: p}
	if p.Cubin != nil {
		v.Cubin = &device{Cubin: p.Cubin}
		changes := changesIn(p)
		for i := range p.Cubin.Functions {
			fn := &p.Cubin.Functions[i]
			v.Cubin.Functions = append(v.Cubin.Functions, function{Function: fn, Finalizer: changes[fn.Name]})
		}
		if schedules {
			v.Cubin.addSchedules(p)
		}
	}
	for _, q := range p.Parts {
		v.Parts = append(v.Parts, view(q, schedules))
	}
	return v
}

// changesIn returns the changes that a final link would make to the functions of a cubin, by name.
func changesIn(p *inspect.Part) map[string]string {
	f, err := cubin.Open(p.Name, p.Data)
	if err != nil {
		return nil // inspect says why
	}
	changes := map[string]string{}
	for section, c := range codematch.Classes(f) {
		changes[strings.TrimPrefix(f.Sections[section].Name, ".text.")] = c.String()
	}
	return changes
}

// rename renames functions and undefined symbols.
func rename(p *inspect.Part, name func(string) string) {
	for p := range p.Cubins() {
		for i := range p.Cubin.Functions {
			p.Cubin.Functions[i].Name = name(p.Cubin.Functions[i].Name)
		}
		for i := range p.Cubin.Undefined {
			p.Cubin.Undefined[i] = name(p.Cubin.Undefined[i])
		}
	}
}
