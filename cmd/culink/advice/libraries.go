package advice

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/culink/culink/linker/inspect"
	"github.com/culink/culink/linker/platform"
)

// -lNAME selects one of several files with that name in the -L folders. nvlink does not report the other files. It does
// not report a name that is in no folder either (LOAD-022).

// A Library is a NAME of -lNAME, with the files of that name in the -L folders.
type Library struct {
	Name   string   // "f" of -lf
	File   string   // that is looked for, "libf.a"
	Shared string   // shared object with this name, in which case nothing is linked; empty if there is none
	Files  []string // files that -l could link, in the order of the folders
}

// named returns the libraries named with -l.
func (a *Adviser) named() []Library {
	if a.Named == nil {
		return nil
	}
	return a.Named()
}

// A hindrance tells why -l does not link a file, and how to change that. Both are empty for the file that -l links.
type hindrance struct{ why, try string }

// hindrances returns the hindrance of each file that -l could have linked. skipped holds the files that the link
// skipped.
func (l *Library) hindrances(skipped map[string]bool) []hindrance {
	list := make([]hindrance, len(l.Files))
	taken := ""
	for i, file := range l.Files {
		itself := fmt.Sprintf("name %s itself, as a file", file)
		switch {
		case l.Shared != "":
			list[i] = hindrance{fmt.Sprintf("-l%s finds %s, a shared object, of which nothing is linked", l.Name, l.Shared), itself}
		case skipped[file]:
			list[i] = hindrance{fmt.Sprintf("-l%s skips it, as it has no object for the host of the link", l.Name), fmt.Sprintf("find a %s for that host; -cpu-arch says which it is", l.File)}
		case taken != "":
			list[i] = hindrance{fmt.Sprintf("-l%s finds %s first", l.Name, taken), "have its folder before the other one in -L, or " + itself}
		default:
			taken = file
		}
	}
	return list
}

// hostOnly lists libraries without device code that build tools use in every link.
var hostOnly = []string{"c", "cuda", "cudart", "cudart_static", "dl", "gcc", "gcc_s", "m", "pthread", "rt", "stdc++", "util"}

// missing lists the names after -l that are in no folder.
func (a *Adviser) missing() (facts []Fact) {
	for _, l := range a.named() {
		if l.Shared != "" || len(l.Files) > 0 || len(facts) == mostNames || slices.Contains(hostOnly, l.Name) {
			continue
		}
		if strings.Contains(l.Name, "/") {
			facts = append(facts, Fact{"missing", fmt.Sprintf("%s of -l%s: -l looks for a name in the folders of -L; name a file as an input, without -l", l.File, l.Name)})
			continue
		}
		if short := strings.TrimSuffix(strings.TrimPrefix(l.Name, "lib"), ".a"); short != l.Name && short != "" && strings.HasSuffix(l.File, ".a") {
			facts = append(facts, Fact{"missing", fmt.Sprintf("%s of -l%s: -l adds lib and .a to a name; try -l%s", l.File, l.Name, short)})
		} else {
			facts = append(facts, Fact{"missing", fmt.Sprintf("%s of -l%s, in all folders of -L: if that defines it, give its folder with -L", l.File, l.Name)})
		}
	}
	return facts
}

// skippedLibrary answers that -l skipped a library for another host. It also records the library as skipped.
func (a *Adviser) skippedLibrary(args []any) []Fact {
	name := fmt.Sprint(args[0])
	if a.skipped == nil {
		a.skipped = map[string]bool{}
	}
	a.skipped[name] = true
	if a.Open == nil {
		return nil
	}
	data, err := a.Open(name)
	if err != nil {
		return nil
	}
	if isBSDArchive(data) {
		return bsdArchive
	}
	found := map[string]bool{}
	holdsCode := false
	for _, p := range inspect.Read(name, data).Parts {
		const machineAt = 18
		holdsCode = holdsCode || slices.Contains([]inspect.Kind{inspect.KindCubin, inspect.KindFatbin, inspect.KindPTX}, p.Kind)
		if isELF(p.Data) {
			if host, ok := platform.HostOf(binary.LittleEndian.Uint16(p.Data[machineAt:])); ok {
				found[host] = true
			}
		}
	}
	switch list := slices.Sorted(maps.Keys(found)); {
	case len(list) > 0:
		return []Fact{{"holds", "objects for hosts of " + strings.Join(list, ", ")}, {"try", "the library for the host of the link; where the program is for that host, -cpu-arch=" + list[0]}}
	case holdsCode:
		return []Fact{{"holds", "device code, and no object for a host, without which -l passes over a library"}, ofObjects}
	}
	return []Fact{{"holds", "no object for a host, without which -l passes over a library"}}
}
