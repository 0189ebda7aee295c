package explore

import (
	"fmt"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/versus"
)

// A difference is known if a rule explains it or if it is a divergence by choice (package versus). Every other class is
// a finding.

// damageMark is part of culink's messages about damaged inputs. damaged begins the class of such links.
const (
	damageMark = " is damaged: "
	damaged    = "damaged: "
)

// damages lists inputs that culink always rejects, whatever nvlink does. Each has a part of culink's message and the id
// of the rule.
var damages = [...]struct{ part, id string }{
	{"records of a wrong size", "DIAG-303"},
	{"the section names are no table of strings", "DIAG-303"},
	{"bad section name offset", "DIAG-303"},
	{"bad name offset", "DIAG-303"},
	{"wrong alignment", "DIAG-303"},
	{"it is about a section", "DIAG-303"},
	{"it is code of a symbol that does not exist", "DIAG-303"},
	{"it belongs to nothing that exists", "DIAG-303"},
	{"alignment 0", "DIAG-303"},
	{"without an alignment", "DIAG-303"},
	{"prototype lies outside the string table", "DIAG-303"},
	{"attribute without its symbol or number", "DIAG-303"},
	{"record is cut off", "DIAG-303"},
	{"payload runs past the end of the section", "DIAG-303"},
	{"that does not exist", "DIAG-303"},
	{"symbol does not exist", "DIAG-303"},
	{"no such section", "DIAG-303"},
	{"section header size is not 64", "DIAG-303"},
	{"too many sections", "DIAG-303"},
	{"past the end of the", "LOAD-026"},
	{"no relocatable cubin", "LOAD-026"},
	{"Mercury code for an architecture without it", "LOAD-026"},
	{"section name table does not exist", "LOAD-026"},
	{"string without end", "LOAD-026"},
	{"its tables do not lie inside the file", "LOAD-026"},
	{"without a section", "LOAD-500"},
	{"in a table of records", "LOAD-500"},
	{"in shared memory, but not marked as such", "LOAD-966"},
	{"constant bank without bytes", "LOAD-500"},
	{"is larger than its bank", "LOAD-500"},
	{"the section of number 0 has a name", "MERC-965"},
	{"alignment is too large", "MERC-314"},
	{"larger than shared memory", "MERC-314"},
	{"relocation against no symbol", "MERC-314"},
	{"not the name of relocations of", "MERC-314"},
	{"in the Mercury half", "MERC-310"},
	{"without a capsule", "MERC-310"},
	{"capsule of no function", "MERC-310"},
	{"compiler's constants of no function", "MERC-310"},
	{"not of the type of", "MERC-310"},
	{"more symbols than in .symtab", "MERC-310"},
	{"no Mercury symbol table", "MERC-310"},
	{"not the names of .symtab", "MERC-783"},
	{".nv.capmerc", "MERC-102"},
}

// undecoded is part of culink's message about a damaged compressed payload, and undecodedEnd is that about the end of such
// a load. nvlink may decode the payload to anything, or pass over it. undecodedID is the erratum.
const undecoded, undecodedEnd, undecodedID = "error   : Uncompress failed", "fatal   : elfLink fatbinary error", "E-460"

// isUndecoded reports whether culink did not decode a payload that nvlink decoded or passed over.
func isUndecoded(culink, nvlink string) bool {
	more := func(message string) bool { return strings.Count(culink, message) > strings.Count(nvlink, message) }
	return more(undecoded) || strings.Contains(culink, undecoded) && more(undecodedEnd)
}

// unordered is culink's message about a Mercury half that does not stand behind the plain one. nvlink may link such a file.
// unorderedID is the rule.
const unordered, unorderedID = "fatal   : Internal error: unexpected reloc section", "MERC-314"

// isBad reports whether culink panicked, or was stopped because of a limit or a signal.
func isBad(o *versus.Outcome) bool {
	const panicked = 2 // exit status of a Go program that panicked
	return o.Trouble != "" || o.Exit == panicked
}

// differs reports whether a link is a difference: culink ended badly, or it differs from a reference that did not crash.
func differs(v *versus.Verdict) bool {
	return isBad(&v.Other) || v.Class != "" && v.Reference.Trouble == ""
}

// explain returns the class of a difference and the id of the rule that explains it. The id of a finding is empty. made
// lists the files that earlier steps wrote.
func (x *explorer) explain(v *versus.Verdict, files attempt.Files, made []string) (class, id string, err error) {
	class, id = classOf(v)
	if id != "" || isBad(&v.Other) {
		return class, id, nil
	}
	bad, err := x.canon.contradicts(files, made)
	if err != nil || !bad {
		return class, "", err
	}
	return contradicts, contradictsID, nil
}

// classOf returns the class of a difference, and the id of the rule that explains it if the verdict shows that.
func classOf(v *versus.Verdict) (class, id string) {
	if isBad(&v.Other) {
		first, _, _ := strings.Cut(v.Other.Stderr, "\n")
		return fmt.Sprintf("culink ends badly: exit %d, %s: %s", v.Other.Exit, v.Other.Trouble, versus.Pattern(first)), ""
	}
	if _, reason, ok := strings.Cut(v.Other.Stderr, damageMark); ok && v.Other.Exit != 0 && v.Other.Output == nil {
		reason, _, _ = strings.Cut(reason, "\n")
		for _, d := range damages {
			if strings.Contains(reason, d.part) {
				return damaged + d.part, d.id
			}
		}
		return damaged + versus.Pattern(reason), ""
	}
	if isUndecoded(v.Other.Stderr, v.Reference.Stderr) {
		return damaged + "compressed payload", undecodedID
	}
	if strings.Contains(v.Other.Stderr, unordered) && !strings.Contains(v.Reference.Stderr, unordered) {
		return damaged + "plain section behind the Mercury half", unorderedID
	}
	return v.Class, ""
}
