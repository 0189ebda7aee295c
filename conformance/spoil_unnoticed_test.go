package conformance

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
)

// These linkers are wrong, but each passed the whole corpus until a case was added for it.

// where applies a spoil only to links that wrote a file.
func where(name string, do func(*attempt.Outcome)) func(*attempt.Outcome) {
	return func(o *attempt.Outcome) {
		if _, ok := o.Files[name]; ok {
			do(o)
		}
	}
}

// whereSaid applies a spoil only to links that printed a text.
func whereSaid(text string, do func(*attempt.Outcome)) func(*attempt.Outcome) {
	return func(o *attempt.Outcome) {
		if strings.Contains(string(o.Stderr), text) {
			do(o)
		}
	}
}

// passes changes the outcome to that of a linker that reports no problem.
func passes(o *attempt.Outcome) { o.Exit, o.Stderr = 0, nil }

// refuses changes the outcome to that of a linker that cannot open an input.
func refuses(o *attempt.Outcome) {
	o.Exit, o.Stderr, o.Files = 1, []byte("nvlink fatal   : Could not open input file\n"), attempt.Files{}
}

// linesWithout removes lines of messages.
func linesWithout(part string) func(*attempt.Outcome) {
	return everyMessage(func(text string) string {
		lines := slices.DeleteFunc(strings.SplitAfter(text, "\n"), func(line string) bool { return strings.Contains(line, part) })
		return strings.Join(lines, "")
	})
}

// inPlaceOf returns a change of arguments: it replaces a word with others.
func inPlaceOf(word string, others ...string) func(args []string) []string {
	return func(args []string) []string {
		if i := slices.Index(args, word); i >= 0 {
			return slices.Replace(slices.Clone(args), i, i+1, others...)
		}
		return args
	}
}

func init() {
	for name, other := range map[string]func(args []string) []string{
		"255 members of an archive at most":                          shortened("one.a", firstMembers(255)),
		"a member that is an archive, passed over":                   inPlaceOf("lib/last.a", "lib/first.a"),
		"a shared library in its own folder alone":                   leavesOut(`^-Ltwo$`, 0),
		"a file of options behind an at sign":                        inPlaceOf("@k.opt", "-optf", "k.opt"),
		"comments in a file of options":                              inPlaceOf("comment.opt", "/dev/null"),
		"single quotes in a file of options":                         inPlaceOf("quote.opt", "/dev/null"),
		"the suffix of a folder for that of a file":                  inPlaceOf("dir.cubin/k", "k.bak.cubin"),
		"an empty name of a kernel in host code for that of another": inPlaceOf("two.o", "first.o"),
		"a call of a kernel that takes its address":                  inPlaceOf("calls.cubin", "takes.cubin"),
		"the first suffix of several":                                inPlaceOf("k.cubin.bak", "k.bak.cubin"),
	} {
		otherArguments[name] = other
	}
}

// unnoticed returns these linkers.
func unnoticed() (list []spoil) {
	contents := []judge.Facet{judge.FacetImage, judge.FacetBytes}
	messages := []judge.Facet{judge.FacetMessages}
	verdict := []judge.Facet{judge.FacetExit, judge.FacetMessages}
	output := []judge.Facet{judge.FacetExit, judge.FacetMessages, judge.FacetFile}
	all := spoilFacets
	add := func(name, from string, want []judge.Facet, do func(*attempt.Outcome)) {
		list = append(list, spoil{name, from, do, want, nil})
	}
	as := func(name, from string, want []judge.Facet) { add(name, from, want, func(*attempt.Outcome) {}) }
	said := func(old, new string) func(*attempt.Outcome) {
		return everyMessage(func(text string) string { return strings.ReplaceAll(text, old, new) })
	}

	// These linkers are wrong in archives, fat binaries and file names.
	list = append(list, spoil{"255 members of an archive at most", "archive/three-hundred-members", func(*attempt.Outcome) {}, all,
		func() { os.Remove(filepath.Join(os.TempDir(), "one.a")) }})
	as("a member that is an archive, passed over", "archive/of-archives", output)
	as("a shared library in its own folder alone", "archive/of-archives", output)
	add("members of a thin archive beside it", "archive/of-archives", all, where("thin2.cubin", refuses))
	add("an entry of a fat binary for another system", "fatbin/flags-of-entries", all, where("windows.cubin", refuses))
	add("an entry of a fat binary of debug code", "fatbin/flags-of-entries", all, where("debug.cubin", refuses))
	as("an empty name of a kernel in host code for that of another", "host/names-without-letters", contents)
	add("an entry of a fat binary without version", "fatbin/flags-of-entries", all, where("version0.cubin", refuses))
	as("the suffix of a folder for that of a file", "messages/suffixes-in-paths", contents)
	as("the first suffix of several", "messages/suffixes-in-paths", contents)

	// These linkers are wrong in command lines.
	as("a file of options behind an at sign", "options/words-of-other-tools", output)
	as("comments in a file of options", "options/words-of-other-tools", output)
	as("single quotes in a file of options", "options/words-of-other-tools", output)
	as("a call of a kernel that takes its address", "options/kernels-used-called", contents)
	add("files of options that nest deeper", "options/response-files-depth", verdict, whereSaid("Too many options file", passes))
	add("files of options that nest less deep", "options/response-files-depth", all, where("out.cubin", refuses))
	add("32 bits of what -v says of global memory", "options/verbose-of-gigabytes", messages, said("6710886416 bytes", "2415919120 bytes"))
	add("the barriers of another kernel in -v", "options/verbose-barriers-of-others", messages, said("used 0 barriers", "used 1 barriers"))

	// These linkers are wrong in prototypes, in kernels after other kernels, and in stacks.
	const prototypes, kernels, recursion = "merge/prototypes", "info/kernels-behind-kernels", "stack/recursion-at-pointer"
	add("prototypes up to a bar", prototypes, verdict, whereSaid("'def2.cubin'", passes))
	add("the first prototype of an address that is taken", prototypes, contents, rewriteFile("out7.cubin", `proto f "#ii|2"`, `proto f "#ii|1"`))
	add("no registers of a called kernel", kernels, contents, inside("REGCOUNT @ka 0x28", "REGCOUNT @ka 8"))
	add("no attributes of a called kernel", kernels, contents, inside("attr NUM_MBARRIERS 0x6e", "attr NUM_MBARRIERS 10"))
	add("a called kernel without what it has taken over", kernels, contents, inside("attr NUM_MBARRIERS 0xd3", "attr NUM_MBARRIERS 0x6f"))
	add("no limit of registers for called kernels", kernels, verdict, whereSaid("'kb' with regcount", passes))
	add("no registers of a kernel behind a pointer", "reach/kernel-behind-pointer", contents, inside("REGCOUNT @ka 0x28", "REGCOUNT @ka 8"))
	add("a stack of a recursion that begins at a pointer", recursion, contents, inside("MIN_STACK_SIZE @ka 0xffffffff", "MIN_STACK_SIZE @ka 0x18"))
	add("a stack of a recursion without a frame", recursion, contents, inside("MIN_STACK_SIZE @kb 0xffffffff", "MIN_STACK_SIZE @kb 0"))
	add("a stack that does not wrap", recursion, contents, inside("MIN_STACK_SIZE @kc 0x10", "MIN_STACK_SIZE @kc 0xffffffff"))
	add("no sign of a stack in -v", recursion, messages, said("-1879048176 stack", "2415919120 stack"))
	add("the first limit of the stack", "info/stack-limits-twice", verdict, whereSaid("limited to 32", passes))

	// These linkers are wrong in places and sizes.
	const groups, sizes = "shared/first-of-three-groups", "messages/sizes-of-functions"
	add("the last group of shared variables that is free", groups, contents, inside(
		"section .text.k5 regs=8\n\tu64 0x0000000000007918", "section .text.k5 regs=8\n\tu64 0x0000004c00007918"))
	add("the alignment of the first variable of a group", groups, contents, inside(
		"section .text.k3 regs=8\n\tu64 0x0000003000007918", "section .text.k3 regs=8\n\tu64 0x0000002400007918"))
	add("shared memory of a called kernel in the kernel that calls", "shared/of-called-kernel", contents, inside("section .nv.shared.kb size", "section .nv.shared.ka size=0x24\nsection .nv.shared.kb size"))
	add("slots of textures behind the kernels that have some", "texture/slots-behind-others", contents, where("out.cubin", func(o *attempt.Outcome) { increment(headerOf(o, ".nv.constant0.k"), 32) }))
	add("no limit of local memory", sizes, messages, linesWithout("local data"))
	add("no limit of a constant bank of a function", sizes, messages, linesWithout("'k' uses too much constant data"))
	add("sections of code that is dropped", "merge/sections-of-dropped-code", verdict, whereSaid("deleted section", passes))
	add("string tables of 65,536 bytes", "scale/string-tables", contents, func(o *attempt.Outcome) { clear(bytesOf(o, ".strtab")[1<<16:]) })
	add("an addend below zero without its high half", "reloc/negative-addends", contents, inside("0xffffffff00007918", "0x0000000000007918"))
	return list
}
