package advice

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/culink/culink/linker/coff"
	"github.com/culink/culink/linker/inspect"
)

// nvlink silently ignores some inputs. The link succeeds, and the code is missing at run time or in the next link. Host
// objects without device code are common in builds, so culink does not report them.

// passedOver explains why nothing was linked from a file. It returns nil if the reason is a usual one.
func (a *Adviser) passedOver(args []any) []Fact {
	name := fmt.Sprint(args[0])
	if a.Open == nil || slices.Index(a.Files, name) != a.last(name) { // an archive counts once
		return nil
	}
	data, err := a.Open(name)
	if err != nil {
		return nil
	}
	what := inspect.Read(name, data)
	again := Fact{"try", "make it again: it was cut off"}
	suffix := filepath.Ext(name)
	if a.Typed {
		suffix = typed
	}
	ofOther := a.ofOtherHost(what)
	switch {
	case len(data) == 0:
		return []Fact{{"holds", "nothing: the file is empty"}}
	case suffix == ".ptx":
		return []Fact{{"holds", "PTX, which below sm_90 is compiled as a whole program and linked with nothing"}, {"try", "compile it to a cubin (ptxas -c), or link for sm_90 or later"}}
	case isBegun(what):
		return []Fact{{"holds", "the beginning of an object"}, again}
	case what.Damaged():
		return []Fact{{"holds", fmt.Sprintf("%s that cannot be read: %s", article(what.Kind), firstError(what))}, again}
	case what.Cubin != nil && what.Cubin.File == inspect.Executable:
		return ofExecutable(what.Cubin)
	case what.Kind == inspect.KindLTO && suffix == ".ltoir":
		return []Fact{{"holds", "intermediate code, of which this release reads no file"}, {"try", "link with --toolkit of a later release" + a.orMachineCode()}}
	case what.Kind == inspect.KindLTO:
		return []Fact{{"holds", "intermediate code, which a file of this name is not read as"}, {"try", "name it .ltoir, and link with nvcc -dlto (nvlink -lto)" + a.orMachineCode()}}
	case suffix == "" && !slices.Contains([]inspect.Kind{inspect.KindOther, inspect.KindShared, inspect.KindProgram}, what.Kind):
		return []Fact{{"holds", article(what.Kind) + ", but a file whose name has no suffix is passed over"}, a.properName()}
	case isBSDArchive(data):
		return bsdArchive
	case what.Kind == inspect.KindArchive:
		return a.ofArchive(what)
	case ofOther != nil:
		return ofOther
	case holdsOffloaded(what):
		return offloadedCode
	case what.Kind == inspect.KindHost, what.Kind == inspect.KindShared, what.Kind == inspect.KindOther && isELF(data):
		return nil
	case what.Kind == inspect.KindOther:
		return []Fact{{"holds", "no object, archive, cubin, fat binary or PTX"}, {"try", "name the file that the compiler made"}}
	case a.Typed:
		return nil
	}
	return []Fact{{"holds", fmt.Sprintf("%s, which a file named %s is not read as", article(what.Kind), suffix)}, a.properName()}
}

// ofExecutable explains that an executable cubin is not linked.
func ofExecutable(c *inspect.Cubin) []Fact {
	if isLinked(c) {
		return []Fact{{"holds", "an executable cubin that was linked before, and only relocatable ones are linked"}, {"try", "link what it was made of instead"}}
	}
	return []Fact{{"holds", "an executable cubin, compiled without -rdc=true, and only relocatable ones are linked"}, {"try", "compile its source with -rdc=true"}}
}

// typed replaces the suffix of a file whose name does not matter.
const typed = "any"

// orMachineCode returns the alternative to linking with -lto.
func (a *Adviser) orMachineCode() string { return ", or compile to machine code" + a.generate() }

// properName suggests the suffixes that object files and archives have on the host of the link.
func (a *Adviser) properName() Fact {
	objects := ".o, .a"
	if a.Host.Or().COFF {
		objects = ".obj, .lib"
	}
	return Fact{"try", "a name with the suffix of what it is: " + objects + ", .cubin, .fatbin or .ptx"}
}

// ofOtherHost explains that a host object was not read because it is for another system. It returns nil for other parts.
func (a *Adviser) ofOtherHost(p *inspect.Part) []Fact {
	windows := a.Host.Or().COFF
	switch {
	case p.Kind != inspect.KindHost:
		return nil
	case !windows && coff.Is(p.Data):
		return []Fact{{"holds", "an object for Windows, and only nvlink for Windows reads one"}, {"try", "compile it for the host of the link, or link with --platform=windows"}}
	case windows && isELF(p.Data):
		return []Fact{{"holds", "an object for Linux, which nvlink for Windows reads only in a library"}, {"try", "compile it for Windows, to a .obj file"}}
	}
	return nil
}

// isBSDArchive reports whether an archive stores the name of a member directly before its contents. nvlink reads such a
// name as part of the contents.
func isBSDArchive(data []byte) bool { return bytes.HasPrefix(data, []byte("!<arch>\n#1/")) }

var bsdArchive = []Fact{{"holds", "an archive in the form of BSD and macOS, whose members nvlink does not see"}, {"try", "make it again with GNU ar, or llvm-ar --format=gnu"}}

// ofArchive explains why nothing was linked from an archive. It returns nil for an archive of host objects.
func (a *Adviser) ofArchive(p *inspect.Part) []Fact {
	isKind := func(kinds ...inspect.Kind) bool {
		return slices.ContainsFunc(p.Parts, func(m *inspect.Part) bool {
			return slices.Contains(kinds, m.Kind) || slices.Contains(kinds, inspect.KindHost) && m.Kind == inspect.KindOther && isELF(m.Data)
		})
	}
	var ofOther []Fact
	if len(p.Parts) > 0 && coff.Is(p.Parts[0].Data) {
		ofOther = a.ofOtherHost(p.Parts[0])
	}
	switch {
	case slices.ContainsFunc(p.Parts, holdsOffloaded):
		return offloadedCode
	case ofOther != nil:
		return ofOther
	case isKind(inspect.KindHost):
		return nil
	case isKind(inspect.KindCubin, inspect.KindFatbin, inspect.KindPTX, inspect.KindLTO):
		return []Fact{{"holds", "an archive of device code, which is passed over: only host objects in an archive are linked"}, ofObjects}
	case len(p.Parts) == 0:
		return []Fact{{"holds", "an archive without a whole member"}, {"try", "make it again: it is empty, or was cut off"}}
	}
	return []Fact{{"holds", "an archive without objects"}, {"try", "name the library that the compiler made"}}
}

var ofObjects = Fact{"try", "make it of objects (nvcc -rdc=true -c), or take its members out (ar x) and name them as inputs"}

const elfMagic = "\x7fELF"

// isBegun reports whether a part is an ELF file that ends in its header.
func isBegun(p *inspect.Part) bool {
	return p.Kind == inspect.KindOther && bytes.HasPrefix(p.Data, []byte(elfMagic)) && !isELF(p.Data)
}

// isELF reports whether data begins with the header of an ELF file.
func isELF(data []byte) bool {
	const headerSize = 64
	return len(data) >= headerSize && bytes.HasPrefix(data, []byte(elfMagic))
}

// last returns the index of the last occurrence of a file on the command line.
func (a *Adviser) last(name string) (at int) {
	for i, other := range a.Files {
		if filepath.Clean(other) == filepath.Clean(name) {
			at = i
		}
	}
	return at
}

// article returns the name of a kind with its indefinite article.
func article(k inspect.Kind) string {
	if k == inspect.KindArchive || k == inspect.KindProgram {
		return "an " + string(k)
	}
	if k == inspect.KindPTX || k == inspect.KindLTO || k == inspect.KindOther {
		return string(k)
	}
	return "a " + string(k)
}

// firstError returns the error of a part, or else of the first damaged part inside it.
func firstError(p *inspect.Part) string {
	if p.Error != "" {
		return p.Error
	}
	i := slices.IndexFunc(p.Parts, (*inspect.Part).Damaged)
	return firstError(p.Parts[i])
}
