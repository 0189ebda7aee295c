package conformance

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/judge"
	"github.com/culink/culink/linker/cubintext"
)

// The linkers below stand for those of other authors. Each decides one question differently from nvlink, as other
// linkers do, and the rest of the file is consistent with that.

// rewrite changes the text form of out.cubin. It replaces each old text with the new text of its pair.
func rewrite(pairs ...string) func(*attempt.Outcome) {
	return rewriteText(func(text string) string {
		for pair := range slices.Chunk(pairs, 2) {
			if !strings.Contains(text, pair[0]) {
				panic("no " + pair[0])
			}
			text = strings.Replace(text, pair[0], pair[1], 1)
		}
		return text
	})
}

func rewriteText(change func(string) string) func(*attempt.Outcome) {
	return func(o *attempt.Outcome) {
		data, err := cubintext.Parse("out.txt", change(cubintext.Format(o.Files["out.cubin"])))
		if err != nil {
			panic(err)
		}
		o.Files["out.cubin"] = data
	}
}

// sortLines sorts the lines of a text that start with begin.
func sortLines(begin string) func(string) string {
	return func(text string) string {
		lines := strings.SplitAfter(text, "\n")
		var at []int
		var chosen []string
		for i, line := range lines {
			if strings.HasPrefix(line, begin) {
				at, chosen = append(at, i), append(chosen, line)
			}
		}
		slices.Sort(chosen)
		for k, i := range at {
			lines[i] = chosen[k]
		}
		return strings.Join(lines, "")
	}
}

// everyMessage changes the whole text on stderr.
func everyMessage(change func(text string) string) func(*attempt.Outcome) {
	return func(o *attempt.Outcome) { o.Stderr = []byte(change(string(o.Stderr))) }
}

// otherArguments holds linkers that interpret a command line differently. Each changes the arguments.
var otherArguments = map[string]func(args []string) []string{
	"all cubins of the folder": func(args []string) []string {
		names, _ := filepath.Glob("*.cubin")
		return append(args, slices.DeleteFunc(names, func(name string) bool { return slices.Contains(args, name) })...)
	},
	"inputs in the order of their names": func(args []string) []string {
		var at []int
		var names []string
		for i, a := range args {
			if strings.HasSuffix(a, ".cubin") && args[i-1] != "-o" {
				at, names = append(at, i), append(names, a)
			}
		}
		slices.Sort(names)
		for k, i := range at {
			args[i] = names[k]
		}
		return args
	},
	"an archive that is named twice, linked twice": func(args []string) []string {
		data, err := os.ReadFile("lib.a")
		if err != nil {
			panic(err)
		}
		other := filepath.Join(os.TempDir(), "lib.a")
		if err := os.WriteFile(other, data, 0o666); err != nil {
			panic(err)
		}
		return slices.Replace(args, slices.Index(args, "./lib.a"), slices.Index(args, "./lib.a")+1, other)
	},
	"the first of two values": func(args []string) []string {
		second := slices.Index(args, "-o") + 2 + slices.Index(args[slices.Index(args, "-o")+2:], "-o")
		return slices.Delete(args, second, second+2)
	},
	"the last of the inputs alone": func(args []string) []string {
		i := slices.Index(args, "caller.cubin")
		return slices.Delete(args, i, i+1)
	},
}

// outsiders returns these linkers.
func outsiders() (list []spoil) {
	const (
		good   = "basic/two-files"
		two    = "global/strings" // a case with two kernels
		failed = "messages/several-errors-in-one-file"
		older  = "messages/output-replaced"
	)
	contents := []judge.Facet{judge.FacetImage, judge.FacetBytes}
	messages := []judge.Facet{judge.FacetMessages}
	written := []judge.Facet{judge.FacetFile, judge.FacetImage, judge.FacetBytes}
	add := func(name, from string, want []judge.Facet, do func(*attempt.Outcome)) {
		list = append(list, spoil{name, from, do, want, nil})
	}
	onDisk := func(name, from string, disk func()) {
		list = append(list, spoil{name, from, func(*attempt.Outcome) {}, []judge.Facet{judge.FacetFile}, disk})
	}

	// The file.
	add("a flag of the file", good, contents, func(o *attempt.Outcome) { increment(o.Files["out.cubin"], 48) })
	add("an entry point", good, contents, func(o *attempt.Outcome) { increment(o.Files["out.cubin"], 24) })
	add("a section of its own", good, contents, rewrite("segment phdr", "section .comment\n\thex 63756c696e6b00\nsegment phdr"))
	add("a random number", good, []judge.Facet{judge.FacetBytes}, func(o *attempt.Outcome) { gap(o)[0] += byte(1 + rand.IntN(255)) })
	add("the folder of the link in the tool note", good, []judge.Facet{judge.FacetBytes}, func(o *attempt.Outcome) {
		folder, _ := os.Getwd()
		rewrite(`options="-arch sm_80 "`, `options="-arch sm_80 `+folder+` "`)(o)
	})

	// These linkers differ in kernels.
	add("the exits of another kernel", two, contents, rewrite("EXIT_INSTR_OFFSETS 0x1a0", "EXIT_INSTR_OFFSETS 0x140"))
	add("two kernels that change their code", two, contents,
		rewrite("symbol _Z2kaPi global func .text._Z2kaPi", "symbol _Z2kaPi global func .text._Z2kbPi", "symbol _Z2kbPi global func .text._Z2kbPi", "symbol _Z2kbPi global func .text._Z2kaPi"))
	add("two kernels that change their registers", two, contents, rewrite("REGCOUNT @_Z2kbPi 0xc", "REGCOUNT @_Z2kbPi 0xe", "REGCOUNT @_Z2kaPi 0xe", "REGCOUNT @_Z2kaPi 0xc"))
	add("a register fewer at most", good, contents, rewrite("MAXREG_COUNT 0xff", "MAXREG_COUNT 0xfe"))
	add("an older version of the interface", good, contents, rewrite("CUDA_API_VERSION 0x82", "CUDA_API_VERSION 0x81"))
	add("an attribute twice", good, contents, rewrite("\tattr MAXREG_COUNT 0xff\n", "\tattr MAXREG_COUNT 0xff\n\tattr MAXREG_COUNT 0xff\n"))
	add("parameters one word further", good, contents, rewrite("offset=0x160", "offset=0x164"))
	add("a parameter bank rounded up", good, contents, rewrite("zero 0x168", "zero 0x170"))
	add("code without its padding", good, contents, rewriteText(func(text string) string {
		const nop = "\tu64 0x0000000000007918 0x000fc00000000000\n"
		return strings.Replace(text, nop+"segment", "segment", 1)
	}))

	// These linkers differ in names, symbols and relocations.
	add("strings that share their place", two, contents, rewrite("value=0x14", "value=0xe"))
	add("no symbol of a section", good, contents, rewrite("\tsymbol .nv.callgraph\n", ""))
	add("symbols in the order of their names", good, contents, rewriteText(sortLines("\tsymbol _Z")))
	add("relocations in the order of their places", good, contents, rewriteText(func(text string) string {
		const near, far = "\trel 0x44 R_CUDA_64 _Z6callerPi\n", "\trel 0xbc R_CUDA_64 _Z6calleei\n"
		return strings.Replace(text, far+near, near+far, 1)
	}))
	add("a relocation against a section", good, contents, rewrite("rel 0xa0 R_CUDA_ABS47_34 _Z6calleei", "rel 0xa0 R_CUDA_ABS47_34 .text._Z6calleei"))
	add("no names of sections that are not there", good, contents, rewriteText(func(text string) string {
		return strings.ReplaceAll(text, " .rela.debug_frame", "")
	}))
	add("a call that counts as an address taken", good, contents, rewrite("\tedge _Z6callerPi _Z6calleei\n\tcalls taken\n", "\tcalls taken\n\tedge _Z6callerPi _Z6calleei\n"))
	add("attributes in the order of their functions", two, contents, rewriteText(sortLines("\tattr REGCOUNT")))

	// These linkers differ in messages.
	add("colours", failed, messages, everyMessage(func(text string) string { return "\x1b[31m" + text + "\x1b[0m" }))
	add("a count of errors", failed, messages, everyMessage(func(text string) string { return text + "4 errors\n" }))
	add("the first error alone", failed, messages, everyMessage(func(text string) string { first, _, _ := strings.Cut(text, "\n"); return first + "\n" }))
	add("errors in the order of the alphabet", failed, messages, everyMessage(sortLines("nvlink error")))
	add("severities in capitals", failed, messages, everyMessage(func(text string) string { return strings.ReplaceAll(text, " error ", " ERROR ") }))
	add("tabs for blanks", failed, messages, everyMessage(func(text string) string { return strings.ReplaceAll(text, "error   :", "error\t:") }))
	add("other quotes", failed, messages, everyMessage(func(text string) string { return strings.ReplaceAll(text, "'", "`") }))
	add("files by their whole paths", failed, messages, everyMessage(func(text string) string {
		folder, _ := os.Getwd()
		return strings.ReplaceAll(text, "'a.cubin'", "'"+folder+"/a.cubin'")
	}))
	add("a message about nothing", failed, messages, everyMessage(func(text string) string {
		return strings.Replace(text, "nvlink fatal", "nvlink info    : link ended\nnvlink fatal", 1)
	}))
	add("a version on stdout", good, messages, func(o *attempt.Outcome) { o.Stdout = []byte("culink 1.0\n") })
	add("progress on stderr", good, messages, func(o *attempt.Outcome) { o.Stderr = []byte("\r50 %\r100 %\r") })

	// The disk.
	onDisk("an output of an old date", good, func() { os.Chtimes("out.cubin", time.Unix(0, 0), time.Unix(0, 0)) })
	onDisk("an output that keeps the date of the older one", older, func() { os.Chtimes("out.cubin", attempt.LongAgo, attempt.LongAgo) })
	onDisk("an output of a date to come", good, func() {
		tomorrow := time.Now().Add(24 * time.Hour)
		os.Chtimes("out.cubin", tomorrow, tomorrow)
	})
	onDisk("an output that nobody may write", good, func() { os.Chmod("out.cubin", 0o444) })
	onDisk("a hidden file left behind", good, func() { os.WriteFile(".culink.lock", nil, 0o666) })
	onDisk("a folder left behind", good, func() {
		os.Mkdir("parts", 0o777)
		os.WriteFile("parts/1", nil, 0o666)
	})
	onDisk("a link to the output", good, func() { os.Symlink("out.cubin", "a.out") })
	onDisk("a copy of the older output", older, func() { os.WriteFile("out.cubin~", nil, 0o666) })
	onDisk("an input that is moved aside", good, func() { os.Rename("caller.cubin", "caller.cubin.old") })
	onDisk("a folder of temporary files that stays", good, func() { os.Mkdir(filepath.Join(os.TempDir(), "culink"), 0o777) })

	// These linkers differ in the command line.
	arguments := func(name, from string, want ...judge.Facet) { add(name, from, want, func(*attempt.Outcome) {}) }
	arguments("all cubins of the folder", "constant/constants-joined", contents...)
	arguments("inputs in the order of their names", "archive/library-order", contents...)
	arguments("an archive that is named twice, linked twice", "archive/same-file-twice", spoilFacets...)
	arguments("the first of two values", "options/redefinition", append(messages, written...)...)
	arguments("the last of the inputs alone", good, contents...)
	return list
}
