package advice

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/culink/culink/linker/inspect"
)

// nvlink reads a file as what its suffix says. If it is something else, the message does not name the file (LOAD-011).

// misnamed names the first input with a suffix that is not of the kind that the suffix says. It returns nil if all are.
func (a *Adviser) misnamed(suffix string, kind inspect.Kind) []Fact {
	if a.Open == nil {
		return nil
	}
	for _, name := range a.Files {
		if filepath.Ext(name) != suffix {
			continue
		}
		data, err := a.Open(name)
		if err != nil {
			continue
		}
		switch what := inspect.Read(name, data); {
		case what.Kind == kind:
			continue
		case slices.Contains([]inspect.Kind{inspect.KindOther, inspect.KindShared, inspect.KindProgram}, what.Kind):
			return []Fact{{"holds", name + ": no object, archive, cubin, fat binary or PTX"}, {"try", "name the file that the compiler made"}}
		default:
			return []Fact{{"holds", fmt.Sprintf("%s: %s, which a file named %s is not read as", name, article(what.Kind), suffix)}, a.properName()}
		}
	}
	return nil
}
