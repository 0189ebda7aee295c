package advice

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/platform"
)

// A link can succeed and still lose code. An extern array of shared memory is not allocated if only a later file has its
// size. Code that uses it then gets an invalid address (LAYOUT-406). Another example is a library that contains nothing
// the program uses.

// Lost returns the messages about lost code in a final link. keepsDeadCode is set if the link keeps functions that no
// kernel reaches. kernels are the words of -kernels-used.
func (a *Adviser) Lost(keepsDeadCode bool, kernels []string) (list []diag.Diagnostic) {
	arrays := map[string]string{} // the file that first names each extern array of shared memory; empty for other variables
	for _, o := range a.objects() {
		for _, y := range o.symbols {
			if y.Type != cubin.SymData || y.Space() != cubin.OtherShared || y.Bind == cubin.BindLocal {
				continue
			}
			first, isKnown := arrays[y.Name]
			switch {
			case !isKnown && y.Size == 0:
				arrays[y.Name] = o.name
			case !isKnown:
				arrays[y.Name] = ""
			case first != "" && y.Size > 0 && y.Defined():
				list = append(list, diag.New(diag.ArrayWithoutPlace, y.Name, first))
				arrays[y.Name] = ""
			}
		}
	}
	if keepsDeadCode {
		return list
	}
	for _, word := range a.withoutKernel(kernels) {
		list = append(list, diag.New(diag.KernelNotFound, word))
	}
	for _, library := range a.unused() {
		list = append(list, diag.New(diag.LibraryUnused, library))
	}
	return list
}

// withoutKernel returns the first words that no kernel's name contains.
func (a *Adviser) withoutKernel(words []string) (missing []string) {
	if len(words) == 0 {
		return nil
	}
	names := a.kernels()
	for _, word := range words {
		if len(missing) < mostNames && !slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, word) }) {
			missing = append(missing, word)
		}
	}
	return missing
}

// kernels returns the names of the kernels of all inputs, each once.
func (a *Adviser) kernels() (names []string) {
	seen := map[string]bool{}
	for _, o := range a.objects() {
		for _, y := range o.symbols {
			if y.Type == cubin.SymFunc && y.Defined() && y.IsEntry() && !seen[y.Name] {
				seen[y.Name] = true
				names = append(names, y.Name)
			}
		}
	}
	return names
}

// kernelNames lists the kernels of the inputs, as -kernels-used and as the source spell them.
func (a *Adviser) kernelNames() (facts []Fact) {
	names := a.kernels()
	if len(names) == 0 {
		return []Fact{{"because", "no input has a kernel"}}
	}
	for _, name := range names[:min(len(names), mostNames)] {
		facts = append(facts, Fact{"kernel", fmt.Sprintf("%s, which is %s", name, a.source(name))})
	}
	return append(facts, Fact{"try", "a part of the name that the compiler made of the kernel's, such as " + names[0]})
}

// withoutPlace names the file with the size of an extern array.
func (a *Adviser) withoutPlace(args []any) (facts []Fact) {
	name, first := fmt.Sprint(args[0]), fmt.Sprint(args[1])
	definer := ""
	for _, o := range a.objects() {
		for _, y := range o.symbols {
			if y.Name == name && y.Size > 0 && y.Defined() && definer == "" {
				definer = o.name
				facts = append(facts, Fact{"defined", fmt.Sprintf("in %s: %s", definer, o.kind(y))})
			}
		}
	}
	for _, o := range a.objects() {
		if users := o.users(name); o.name == first && len(users) > 0 {
			facts = append(facts, Fact{"used by", fmt.Sprintf("%s in %s, with the address -1", a.list(users), first)})
		}
	}
	return append(facts, Fact{"try", fmt.Sprintf("name %s before %s, or declare the array with its size there too", definer, first)})
}

// unused returns the archives that have only functions to which no other input refers.
func (a *Adviser) unused() (list []string) {
	libraries := map[string][]*object{}
	var order []string
	for _, o := range a.objects() {
		library := archiveOf(o.name)
		if library == "" || isOfToolkit(library) {
			continue
		}
		if libraries[library] == nil {
			order = append(order, library)
		}
		libraries[library] = append(libraries[library], o)
	}
	for _, library := range order {
		if a.isUnused(libraries[library]) {
			list = append(list, library)
		}
	}
	return list
}

// archiveOf returns the archive that contains a member, from the member's name in messages. It returns the empty string
// for a file. A colon may also follow the letter of a drive.
func archiveOf(name string) string {
	for _, p := range platform.All() {
		if archive, _, isMember := strings.Cut(name, p.LibrarySuffix+":"); isMember {
			return archive + p.LibrarySuffix
		}
	}
	return ""
}

// isOfToolkit reports whether a library belongs to the toolkit. Every build uses some of these.
func isOfToolkit(library string) bool {
	name := filepath.Base(library)
	return strings.HasPrefix(name, "libcuda") || strings.HasPrefix(name, "cuda") && filepath.Ext(name) == platform.Windows.LibrarySuffix
}

// isUnused reports whether members define only functions to which no other input refers. Kernels and variables count as
// used.
func (a *Adviser) isUnused(members []*object) bool {
	own, isMember := map[string]bool{}, map[*object]bool{}
	for _, o := range members {
		isMember[o] = true
		for _, y := range o.symbols {
			switch {
			case !y.Defined():
			case y.Type == cubin.SymFunc && !y.IsEntry():
				own[y.Name] = true
			case y.Type == cubin.SymFunc, y.Type == cubin.SymData:
				return false
			}
		}
	}
	for _, o := range a.objects() {
		for _, y := range o.symbols {
			if !isMember[o] && own[y.Name] && y.Bind != cubin.BindLocal {
				return false
			}
		}
	}
	return len(own) > 0
}

// unusedLibrary lists the functions in an unused library.
func (a *Adviser) unusedLibrary(args []any) []Fact {
	var names []user
	for _, o := range a.objects() {
		if !strings.HasPrefix(o.name, fmt.Sprint(args[0])+":") {
			continue
		}
		for _, y := range o.symbols {
			if y.Type == cubin.SymFunc && y.Defined() {
				names = append(names, user{name: y.Name})
			}
		}
	}
	return []Fact{{"holds", "functions that no other input names: " + a.list(names)}, {"try", "leave it out, or link the objects that call them"}}
}
