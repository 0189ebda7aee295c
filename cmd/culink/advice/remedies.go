package advice

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/inspect"
)

// remedies has the answers that do not depend on the inputs.
var remedies = map[diag.ID]string{
	diag.NoLTOObjects:       "compile with nvcc -dlto too (CMake: INTERPROCEDURAL_OPTIMIZATION ON), or link without -dlto",
	diag.PartialLTO:         "compile it with nvcc -dlto too; without that, the link is right, and this file is not optimised with the others",
	diag.VirtualTarget:      "link for a real target with -lto: -arch=sm_90 for code of lto_90",
	diag.NoUnifiedIndex:     "link with -uidx and the index file of the program that loads the code",
	diag.BehindSystem:       "have libcudadevrt.a, or -lcudadevrt, behind all other inputs",
	diag.CTAGroupConflict:   "use one .cta_group in all tcgen05 instructions that a kernel reaches",
	diag.ReservedShared:     "link without -disable-smem-reservation",
	diag.NoFatbinIn:         "compile it again, without strip, objcopy or ld -r behind it: its fat binary is lost",
	diag.BesideWholeProgram: "link a file compiled with -ewp with nothing but -lcudadevrt, or compile it with -rdc=true",
	diag.ABIMismatch:        "compile it again, with the compiler of the release of the link",
}

// specificCode lists the inputs with code for a target whose name ends in 'a'. The message does not name them.
func (a *Adviser) specificCode() (facts []Fact) {
	a.parts(func(file string, p *inspect.Part) {
		for q := range p.Cubins() {
			if strings.HasSuffix(q.Cubin.Target, "a") && len(facts) < mostNames {
				facts = append(facts, Fact{"holds", fmt.Sprintf("%s: code for %s", file, q.Cubin.Target)})
			}
		}
	})
	return append(facts, Fact{"try", "compile and link all files for one target, either with the letter a (sm_90a) or without it"})
}

// parameterBanks lists the sizes of the parameters of a kernel that several files define.
func (a *Adviser) parameterBanks(args []any) (facts []Fact) {
	name := fmt.Sprint(args[0])
	if source := a.source(name); source != name {
		facts = append(facts, Fact{"means", source})
	}
	for _, o := range a.objects() {
		if s := o.file.Section(".nv.constant0." + name); s != nil {
			facts = append(facts, Fact{"defined", fmt.Sprintf("in %s: %d bytes of constant bank 0, which has the parameters", o.name, s.Size)})
		}
	}
	return append(facts, Fact{"try", "define it once, in a header that all files include, with the same types of parameters, and compile these files again"})
}

// largeParameters is the first release whose code may be linked with kernels of more than 4 KB of parameters (INFO-051).
const largeParameters = 121

// madeBefore lists the inputs by compilers before a release, a number like that of arch.Profile.API.
func (a *Adviser) madeBefore(first uint32) (facts []Fact) {
	a.parts(func(file string, p *inspect.Part) {
		for q := range p.Cubins() {
			if made, ok := number(q.Cubin.Toolkit); ok && made < first && len(facts) < mostNames {
				facts = append(facts, Fact{"made by", fmt.Sprintf("%s: a compiler of CUDA %s", file, q.Cubin.Toolkit)})
			}
		}
	})
	return append(facts, Fact{"try", fmt.Sprintf("compile it with CUDA %s or later, or pass what is large by pointer", release(first))})
}

// number returns the number of a release, 120 for "12.0".
func number(release string) (uint32, bool) {
	major, minor, ok := strings.Cut(release, ".")
	m, err1 := strconv.ParseUint(major, 10, 16)
	n, err2 := strconv.ParseUint(minor, 10, 16)
	const tens = 10
	return uint32(m*tens + n), ok && err1 == nil && err2 == nil
}

// newerThanOption answers that -cuda-api-version names an earlier version than an input needs.
func (a *Adviser) newerThanOption(args []any) []Fact {
	return []Fact{
		{"needs", fmt.Sprintf("%v: version %v; the option says %v", args[0], args[1], args[2])},
		{"try", "a later -cuda-api-version, or compile it with an earlier toolkit"},
	}
}

// apiVersion answers that -cuda-api-version names another major version than that of the link.
func (a *Adviser) apiVersion() []Fact {
	if a.Toolkit == nil {
		return nil
	}
	link := a.Toolkit.Short()
	major, _, _ := strings.Cut(link, ".")
	return []Fact{{"because", "the link is that of CUDA " + link}, {"try", "-cuda-api-version=" + major + ".0 or later, or link as a release of that version does (--toolkit)"}}
}
