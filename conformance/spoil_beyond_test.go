package conformance

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/conformance/suite"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/archive"
)

// These linkers are right on small links in the environment of their authors. They are wrong above a size, in the second
// of two items, with another option, or in another environment. Only a case with this property detects the fault.

// rewriteFile does the same as rewrite for another file than out.cubin, if the link has written it.
func rewriteFile(name string, pairs ...string) func(*attempt.Outcome) {
	return func(o *attempt.Outcome) {
		if data, ok := o.Files[name]; ok {
			one := &attempt.Outcome{Files: attempt.Files{"out.cubin": data}}
			rewrite(pairs...)(one)
			o.Files[name] = one.Files["out.cubin"]
		}
	}
}

// inside rewrites out.cubin if the link has written it.
func inside(pairs ...string) func(*attempt.Outcome) { return rewriteFile("out.cubin", pairs...) }

// without removes the lines of a file that match a pattern.
func without(name, pattern string) func(*attempt.Outcome) {
	lines := regexp.MustCompile(`(?m)^\s*` + pattern + `\n`)
	return func(o *attempt.Outcome) {
		if data, ok := o.Files[name]; ok {
			one := &attempt.Outcome{Files: attempt.Files{"out.cubin": data}}
			rewriteText(func(text string) string {
				if !lines.MatchString(text) {
					panic("no " + pattern)
				}
				return lines.ReplaceAllString(text, "")
			})(one)
			o.Files[name] = one.Files["out.cubin"]
		}
	}
}

// cutNames truncates quoted text in a message.
func cutNames(most int) func(*attempt.Outcome) {
	quoted := regexp.MustCompile(`(?s)'[^']{` + strconv.Itoa(most) + `,999}`)
	return everyMessage(func(text string) string {
		return quoted.ReplaceAllStringFunc(text, func(name string) string { return name[:most+1] })
	})
}

// shortened returns a change of arguments: it replaces word with the name of a truncated copy of the file word. The
// result is a linker that does not read the whole file.
func shortened(word string, cut func(data []byte) []byte) func(args []string) []string {
	return func(args []string) []string {
		i := slices.Index(args, word)
		if i < 0 {
			return args
		}
		data, err := os.ReadFile(word)
		if err != nil {
			panic(err)
		}
		other := filepath.Join(os.TempDir(), filepath.Base(word))
		if err := os.WriteFile(other, cut(data), 0o666); err != nil {
			panic(err)
		}
		args = slices.Clone(args)
		args[i] = other
		return args
	}
}

// firstLines truncates a text after n lines.
func firstLines(n int) func(data []byte) []byte {
	return func(data []byte) []byte {
		lines := bytes.SplitAfter(data, []byte("\n"))
		return bytes.Join(lines[:min(n, len(lines))], nil)
	}
}

// firstMembers truncates an archive after n members.
func firstMembers(n int) func(data []byte) []byte {
	return func(data []byte) []byte {
		members := 0
		for m, err := range archive.Members(data, nil) {
			if members++; err == nil && members > n {
				return data[:len(data)-len(m.Rest)-archive.HeaderSize]
			}
		}
		return data
	}
}

// leavesOut returns a change of arguments: it removes those that match a pattern, except the first ones.
func leavesOut(pattern string, kept int) func(args []string) []string {
	those := regexp.MustCompile(pattern)
	return func(args []string) []string {
		n := 0
		return slices.DeleteFunc(slices.Clone(args), func(word string) bool {
			if those.MatchString(word) {
				n++
				return n > kept
			}
			return false
		})
	}
}

func init() {
	for name, other := range map[string]func(args []string) []string{
		"a thousand inputs at most":              shortened("opts", firstLines(1001)),
		"255 inputs at most":                     shortened("opts", firstLines(256)),
		"4096 bytes of an options file at most":  shortened("opts", func(data []byte) []byte { return data[:min(len(data), 4096)] }),
		"the first folder of -L alone":           leavesOut(`^-L`, 1),
		"the first library of -l alone":          leavesOut(`^-l`, 1),
		"two libraries of -l at most":            leavesOut(`^-l`, 2),
		"64 members of an archive at most":       shortened("lib/all.a", firstMembers(64)),
		"members of an archive but for the last": shortened("lib/all.a", firstMembers(69)),
		"small letters for capital ones in -kernels-used": func(args []string) []string {
			args = slices.Clone(args)
			for i, word := range args {
				if strings.HasPrefix(word, "-kernels-used=") {
					args[i] = strings.ToLower(word)
				}
			}
			return args
		},
		"no empty words": func(args []string) []string {
			return slices.DeleteFunc(slices.Clone(args), func(word string) bool { return word == "" })
		},
		"flags of a variable": func(args []string) []string {
			return append(args, strings.Fields(os.Getenv("NVLINK_FLAGS"))...)
		},
	} {
		otherArguments[name] = other
	}
}

// allCases returns the cases of the corpus.
var allCases = sync.OnceValues(func() ([]*suite.Case, error) { return suite.LoadCases(corpus.Files) })

// amid returns the first of some cases whose first link has an environment of the given kind. The spoiled linker itself
// does not need the result.
func amid(is func(s sandbox.Environment) bool, of ...string) string {
	if len(os.Args) > 1 && os.Args[1] == spoilMode {
		return ""
	}
	cases, err := allCases()
	if err != nil {
		panic(err)
	}
	for _, c := range cases {
		if slices.Contains(of, c.Area) && slices.Contains(c.Targets, "80") && len(c.Steps) == 1 && c.Expect == suite.ExpectRecorded && is(sandbox.EnvironmentOf(c.ID(), "80", 0)) {
			if r, err := suite.LoadRecording(corpus.Files, c, "80"); err == nil && (of[0] != "messages" || bytes.Contains(r.Steps[0].Stderr, []byte("nvlink error"))) && (of[0] != "basic" || judge.FacetDevice.Applies(&r.Steps[0], suite.ExpectRecorded)) {
				return c.ID()
			}
		}
	}
	panic("no case in such an environment")
}

// beyond returns these linkers.
func beyond() (list []spoil) {
	contents := []judge.Facet{judge.FacetImage, judge.FacetBytes}
	messages := []judge.Facet{judge.FacetMessages}
	all := spoilFacets
	onlyBytes := []judge.Facet{judge.FacetBytes}
	add := func(name, from string, want []judge.Facet, do func(*attempt.Outcome)) {
		list = append(list, spoil{name, from, do, want, nil})
	}
	as := func(name, from string, want ...judge.Facet) { add(name, from, want, func(*attempt.Outcome) {}) }
	with := func(variable string) func(s sandbox.Environment) bool {
		return func(s sandbox.Environment) bool {
			return slices.ContainsFunc(s.Variables, func(v string) bool { return strings.HasPrefix(v, variable+"=") })
		}
	}

	// These linkers depend on the environment of a link.
	foreign := func(s sandbox.Environment) bool { return strings.HasPrefix(s.Locale, "de") }
	add("messages in the language of their reader", amid(foreign, "messages"), messages, everyMessage(func(text string) string {
		if strings.HasPrefix(os.Getenv("LC_ALL"), "de") {
			return strings.ReplaceAll(text, "error   :", "Fehler  :")
		}
		return text
	}))
	add("quotes of a locale in UTF-8", amid(func(s sandbox.Environment) bool { return strings.HasSuffix(s.Locale, "UTF-8") }, "messages"), messages, everyMessage(func(text string) string {
		if strings.HasSuffix(os.Getenv("LC_ALL"), "UTF-8") {
			return strings.ReplaceAll(text, "'", "\u2019")
		}
		return text
	}))
	add("capitals of another language", amid(func(s sandbox.Environment) bool { return strings.HasPrefix(s.Locale, "tr") }, "messages"), messages, everyMessage(func(text string) string {
		if strings.HasPrefix(os.Getenv("LC_ALL"), "tr") {
			return strings.ReplaceAll(text, "i", "\u0131")
		}
		return text
	}))
	add("colours that a variable asks for", amid(with("FORCE_COLOR"), "messages"), messages, everyMessage(func(text string) string {
		if os.Getenv("FORCE_COLOR") != "" {
			return "\x1b[1m" + text + "\x1b[0m"
		}
		return text
	}))
	add("lines as wide as the terminal", amid(with("COLUMNS"), "messages"), messages, everyMessage(func(text string) string {
		if width, _ := strconv.Atoi(os.Getenv("COLUMNS")); width > 0 {
			return text[:width] + "\n" + text[width:]
		}
		return text
	}))
	add("what a variable for debugging asks for", amid(with("DEBUG"), "basic"), messages, func(o *attempt.Outcome) {
		if os.Getenv("DEBUG") != "" {
			o.Stderr = append(o.Stderr, "link: done\n"...)
		}
	})
	as("flags of a variable", amid(with("NVLINK_FLAGS"), "basic"), judge.FacetMessages, judge.FacetBytes)
	add("the name of the user in the output", amid(with("USER"), "basic"), onlyBytes, func(o *attempt.Outcome) { copy(gap(o)[:1], os.Getenv("USER")) })
	add("a date of a variable in the output", amid(with("SOURCE_DATE_EPOCH"), "basic"), onlyBytes, func(o *attempt.Outcome) {
		if os.Getenv("SOURCE_DATE_EPOCH") != "" {
			gap(o)[0] = 1
		}
	})
	add("the time zone in the output", amid(with("TZ"), "basic"), onlyBytes, func(o *attempt.Outcome) { copy(gap(o)[:1], os.Getenv("TZ")) })
	add("a piece less on one processor", amid(func(s sandbox.Environment) bool { return s.Alone }, "basic"), contents, func(o *attempt.Outcome) {
		if runtime.NumCPU() == 1 {
			increment(symbolFromEnd(o, 0), 16)
		}
	})
	in := func(part string, do func(*attempt.Outcome)) func(*attempt.Outcome) {
		return func(o *attempt.Outcome) {
			if folder, _ := os.Getwd(); strings.Contains(folder, part) {
				do(o)
			}
		}
	}
	failing := func(o *attempt.Outcome) {
		o.Exit, o.Stderr, o.Files = 1, []byte("nvlink fatal   : cannot open output file\n"), attempt.Files{}
	}
	add("no folder with blanks", amid(func(s sandbox.Environment) bool { return strings.Contains(s.Folder, " ") }, "basic"), all, in(" ", failing))
	add("no folder with letters of other languages", amid(func(s sandbox.Environment) bool { return strings.Contains(s.Folder, "\u00f4") }, "basic"), all, in("\u00f4", failing))
	add("no path of more than 256 letters", amid(func(s sandbox.Environment) bool { return strings.Contains(s.Folder, "/") }, "basic"), all, in("deeper", failing))

	// These linkers are wrong above a size or a number.
	const alignments, behind, deep, inputs, six = "scale/alignments", "scale/data-behind-data", "scale/deep-calls", "scale/thousand-inputs", "reach/pointer-to-six"
	cleaned := func(name, from string, want ...judge.Facet) { // the shortened copy is removed
		list = append(list, spoil{name, from, func(*attempt.Outcome) {}, want, func() { os.Remove(filepath.Join(os.TempDir(), "opts")) }})
	}
	cleaned("a thousand inputs at most", inputs, contents...)
	cleaned("255 inputs at most", inputs, contents...)
	as("4096 bytes of an options file at most", "options/long-options-file", all...)
	as("the first folder of -L alone", "archive/three-libraries", all...)
	as("the first library of -l alone", "archive/three-libraries", all...)
	as("two libraries of -l at most", "archive/three-libraries", all...)
	as("64 members of an archive at most", "archive/seventy-members", all...)
	as("members of an archive but for the last", "archive/seventy-members", all...)
	add("global memory aligned to 256 at most", alignments, contents, inside("g512 global object .nv.global value=0xa00", "g512 global object .nv.global value=0x900"))
	add("no alignment of a variable behind 64 KiB", behind, contents, inside("afterc global object .nv.global value=0x10040", "afterc global object .nv.global value=0x1003c"))
	add("sizes of 32 bits", behind, contents, inside("value=0xfeee0 size=0x100003039", "value=0xfeee0 size=0x3039"))
	add("values of 32 bits", behind, contents, inside("value=0x100101f20", "value=0x101f20"))
	add("a stack of 16 bits", deep, contents, inside("MIN_STACK_SIZE @kd 0x1d4c0", "MIN_STACK_SIZE @kd 0xd4c0"))
	add("a stack of 20 bits", deep, contents, inside("MIN_STACK_SIZE @kx 0x133dc8", "MIN_STACK_SIZE @kx 0x33dc8"))
	add("the stack of a hundred functions of a chain", deep, contents, inside("MIN_STACK_SIZE @kd 0x1d4c0", "MIN_STACK_SIZE @kd 0x186a0"))
	add("registers of a hundred functions of a chain", deep, contents, inside("REGCOUNT @kd 0x3c", "REGCOUNT @kd 8"))
	add("a recursion of three functions that has a stack", deep, contents, inside("MIN_STACK_SIZE @kr 0xffffffff", "MIN_STACK_SIZE @kr 0x28"))
	add("no warning of a recursion of twenty functions", deep, messages, replaceMessage("nvlink warning : Stack size for entry function 'ks' cannot be statically determined\n", ""))
	add("registers of four functions behind a pointer", six, contents, inside("REGCOUNT @kp 0x46", "REGCOUNT @kp 0x32"))
	add("no registers of a weak function behind a pointer", six, contents, inside("REGCOUNT @kq 0x46", "REGCOUNT @kq 0x3c"))
	add("the stack of the first function behind a pointer", six, contents, inside("MIN_STACK_SIZE @kp 0x68", "MIN_STACK_SIZE @kp 0x18"))
	add("attributes of many functions in another order", "info/forty-risers", contents, inside("EXTERNS @x1 @x2", "EXTERNS @x2 @x1"))
	add("the origin of the first two inputs", "info/origins-of-three", contents, rewriteFile("out.cubin", "cuinfo arch=0x4b", "cuinfo"))
	add("two textures in one of forty slots", "texture/forty-slots", contents, inside("R_CUDA_TEX_HEADER_INDEX t11", "R_CUDA_TEX_HEADER_INDEX t27"))
	add("places in debug strings of 16 bits", "scale/debug-strings", contents, inside("6f110100000000001000000000000000", "6f110000000000001000000000000000"))
	add("names that are equal for seventy letters", "scale/names-alike", contents, inside("rel 0x10 R_CUDA_64 "+strings.Repeat("n", 70)+"b", "rel 0x10 R_CUDA_64 "+strings.Repeat("n", 70)+"a"))
	add("the compiler's constants of two kernels", "constant/compiler-constants-aligned", contents, inside("section .nv.constant2.m align=0x20", "section .nv.constant2.m align=4"))
	add("an addend without carry", "reloc/carry", contents, inside("\tu64 0x0000000100000000 0x0000000000000000\n\tu64 0x0000000100000000", "\tu64 0x0000000100000000 0x0000000000000000\n\tu64 0x0000000000000000"))
	add("the limit itself is too much", "constant/limit", all, func(o *attempt.Outcome) {
		o.Exit, o.Stderr, o.Files = 255, []byte("nvlink error   : File uses too much global constant data (0x10000 bytes, 0x10000 max)\n"), attempt.Files{}
	})
	add("names of 255 letters in messages", "messages/odd-names", messages, cutNames(255))
	add("names of 511 letters in messages", "messages/odd-names", messages, cutNames(511))
	add("names as formats", "messages/odd-names", messages, everyMessage(func(text string) string { return strings.Replace(text, "%n%%", "%", 1) }))
	add("a question mark for each letter that is not ASCII", "messages/odd-names", messages, everyMessage(func(text string) string {
		return strings.Map(func(r rune) rune {
			if r > 127 {
				return '?'
			}
			return r
		}, text)
	}))
	add("a hundred errors at most", "messages/undefined-many", messages, func(o *attempt.Outcome) { o.Stderr = firstLines(100)(o.Stderr) })
	add("options of 255 letters in the note", "options/long-note", onlyBytes, rewriteFile("out.cubin", "name98,name99", ""))
	add("the name of the output without its end in the note", "options/long-note", onlyBytes, rewriteFile(strings.Repeat("a", 200)+".cubin", strings.Repeat("a", 100)+".cubin\"", strings.Repeat("a", 99)+".cubin\""))

	// These linkers misread a list of options or inputs.
	const modules, uncalled, verbose = "host/five-modules", "reach/uncalled-six", "options/verbose-large"
	registered := func(change func(lines []string) []string) func(*attempt.Outcome) {
		return func(o *attempt.Outcome) {
			for name, data := range o.Files {
				if strings.HasSuffix(name, ".c") {
					o.Files[name] = []byte(strings.Join(change(strings.SplitAfter(string(data), "\n")), ""))
				}
			}
		}
	}
	add("two modules to register at most", modules, contents, registered(func(lines []string) []string { return lines[:3] }))
	add("modules to register by their names", modules, contents, registered(func(lines []string) []string { slices.Sort(lines[1:]); return lines }))
	add("one function that nobody calls", uncalled, messages, func(o *attempt.Outcome) { o.Stderr = firstLines(1)(o.Stderr) })
	add("four edges of a graph at most", uncalled, contents, func(o *attempt.Outcome) {
		if data, ok := o.Files["b.dot"]; ok {
			o.Files["b.dot"] = append(firstLines(5)(data), "}\n"...)
		}
	})
	add("numbers of four digits in what -v says", verbose, messages, everyMessage(func(text string) string { return regexp.MustCompile(`\d{5,}`).ReplaceAllString(text, "9999") }))
	as("small letters for capital ones in -kernels-used", "options/kernels-used-letters", contents...)
	as("no empty words", "options/odd-words", judge.FacetExit, judge.FacetMessages, judge.FacetFile)
	add("a weak function stays whose address is taken", "weak/taken-and-calling", contents, inside("REGCOUNT @f 0x18", "REGCOUNT @f 0x28"))

	// These linkers are wrong in the second of two items, or with another option.
	const three = "weak/data-of-three-files"
	add("no relocations of weak data that loses to a strong one", three, contents, without("out2.cubin", `rel (0x10|0x18|8|0) R_CUDA_64 .*`))
	add("relocations of the last copy that loses to a weak one", three, contents, rewriteFile("out.cubin", "section .rela.nv.global.init\n", "section .rela.nv.global.init\n\trel 0xd0 R_CUDA_64 ownc\n"))
	add("a common that comes late comes last", "global/commons-late", contents, inside("x global object .nv.global", "x global object .nv.global value=0x40"))
	add("the last of equal commons in a message", "global/commons-late", messages, func(o *attempt.Outcome) {
		o.Stderr = bytes.ReplaceAll(o.Stderr, []byte("first specified in 'k.cubin'"), []byte("first specified in 'b.cubin'"))
	})
	add("attributes of a weak function that lost, with -g", "weak/loser-with-debug", contents, inside("\tattr REGCOUNT @wf 0x18\n", "\tattr REGCOUNT @wf 0x18\n\tattr REGCOUNT @wf 0x20\n"))
	add("what is too large by kinds", "messages/sizes-in-order", messages, everyMessage(sortLines("nvlink error")))
	add("what is too large beside a fatal error", "messages/sizes-in-order", messages, everyMessage(func(text string) string {
		return strings.Replace(text, "nvlink fatal", "nvlink error   : Entry function 'z' uses too much shared data (0xc001 bytes, 0xc000 max)\nnvlink fatal", 1)
	}))
	add("reserved shared memory with -r", "info/reserved-shared-refused", []judge.Facet{judge.FacetExit, judge.FacetMessages}, func(o *attempt.Outcome) {
		if !bytes.Contains(o.Stderr, []byte("'k'")) {
			o.Exit, o.Stderr = 0, nil
		}
	})
	add("two slashes in the name of a library", "archive/three-libraries", messages, func(o *attempt.Outcome) {
		o.Stderr = bytes.ReplaceAll(o.Stderr, []byte("'inc/lib"), []byte("'inc//lib"))
	})

	// These linkers write messages in a wrong form, or return a wrong exit status.
	const failed = "messages/several-errors-in-one-file"
	add("a mark of the order of bytes before messages", failed, messages, everyMessage(func(text string) string { return "\ufeff" + text }))
	add("another name of the tool in its second message", failed, messages, everyMessage(func(text string) string {
		first, rest, _ := strings.Cut(text, "\n")
		return first + "\n" + strings.Replace(rest, "nvlink ", "ld ", 1)
	}))
	add("a name of the tool in colours", failed, messages, everyMessage(func(text string) string {
		return strings.ReplaceAll(text, "nvlink error", "\x1b[1mnvlink\x1b[0m error")
	}))
	add("a NUL after messages", failed, messages, everyMessage(func(text string) string { return text + "\x00" }))
	add("a carriage return alone at the end of a line", failed, messages, everyMessage(func(text string) string { return strings.Replace(text, "\n", "\r", 1) }))
	add("the last message without its second half", failed, messages, everyMessage(func(text string) string { return text[:len(text)-20] }))
	add("messages on both streams", failed, messages, func(o *attempt.Outcome) { o.Stdout = slices.Clone(o.Stderr) })
	add("the exit status of an end by SIGTERM", "basic/two-files", []judge.Facet{judge.FacetExit}, func(o *attempt.Outcome) { o.Exit = 128 + int(syscall.SIGTERM) })
	add("exit 2 for 1", failed, []judge.Facet{judge.FacetExit}, func(o *attempt.Outcome) { o.Exit = 2 })
	add("an output of warnings that are errors", "messages/undefined", []judge.Facet{judge.FacetFile}, func(o *attempt.Outcome) { o.Files["out.cubin"] = []byte("\x7fELF") })
	return list
}
