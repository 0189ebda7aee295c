package option

import (
	"bytes"
	"slices"
	"strings"

	"github.com/culink/culink/linker/platform"
)

// A command line can be moved to another folder if it is known which of its words are paths. These are the
// inputs, and the values of some options. --repro uses this (OPT-501).

// pathOptions are the long names of the options whose values are paths of files that the link reads or writes.
var pathOptions = []string{
	"output-file", "library-path", "register-link-binaries", "dot-file", "time",
	"nvvmpath", "uidx-file", "nv-host", "options-file", "trace-file", "map", "show-advice",
}

// MapPaths returns words with each path replaced, and without --repro and those options of culink that select
// programs. From the first word on that Parse would refuse, the words do not change.
func MapPaths(words []string, path func(string) string) []string {
	var out []string
	for len(words) > 0 {
		word := words[0]
		if !isOption(word) {
			out, words = append(out, path(word)), words[1:]
			continue
		}
		spelled, value, hasValue := strings.Cut(word, "=")
		joint := "="
		o := find(nil, spelled)
		if o == nil {
			if o = attached(nil, word); o == nil {
				return append(out, words...)
			}
			spelled, value, hasValue, joint = word[:2], word[2:], true, ""
		}
		words = words[1:]
		separate := o.Kind != Switch && !hasValue && len(words) > 0 && (o.Bare == "" || !o.Own && !isOption(words[0]))
		if separate {
			value, words = words[0], words[1:]
		}
		if slices.Contains(pathOptions, o.Long) {
			value = mapValue(o, value, path)
		}
		switch {
		case o.Long == "repro", o.Program && o.Own: // whoever repeats the link chooses the programs
		case separate:
			out = append(out, spelled, value)
		case hasValue:
			out = append(out, spelled+joint+value)
		default:
			out = append(out, spelled)
		}
	}
	return out
}

// mapValue replaces the path, or the list of paths, in the value of o.
func mapValue(o *Option, value string, path func(string) string) string {
	if o.Kind != List {
		return path(value)
	}
	items, err := splitList(false, value)
	if err != nil {
		return value
	}
	for i, item := range items {
		if items[i] = path(item); strings.ContainsAny(items[i], `,"`) {
			items[i] = `"` + items[i] + `"`
		}
	}
	return strings.Join(items, ",")
}

// MapResponseFile is MapPaths for the contents of a response file. A file that Parse would refuse does not
// change.
func MapResponseFile(host *platform.Platform, data []byte, path func(string) string) []byte {
	words, err := splitWords(host, false, data)
	if err != nil {
		return data
	}
	quote := escape
	if !host.Escapes {
		quote = quoteBlanks
	}
	var b bytes.Buffer
	for _, word := range MapPaths(words, path) {
		b.WriteString(quote(word) + "\n")
	}
	return b.Bytes()
}

// escape writes a word for a response file. It has quotes only at ends that are blank, which would be removed, and as
// an empty word: a quote behind a backslash would stay.
func escape(word string) string {
	var b strings.Builder
	for i := range len(word) {
		if strings.IndexByte(separators+`\"`, word[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(word[i])
	}
	blank := func(s string) bool { return strings.Trim(s, " \t") == "" }
	text := b.String()
	if word == "" || blank(word[:1]) {
		text = `""` + text
	}
	if word != "" && blank(word[len(word)-1:]) {
		text += `""`
	}
	return text
}

// quoteBlanks writes a word for a response file on Windows. It quotes only the separators, because a quote after a
// backslash would not close.
func quoteBlanks(word string) string {
	var b strings.Builder
	for word != "" {
		start := strings.IndexAny(word, separators)
		if start < 0 {
			start = len(word)
		}
		b.WriteString(word[:start])
		word = word[start:]
		if rest := strings.TrimLeft(word, separators); rest != word {
			b.WriteString(`"` + word[:len(word)-len(rest)] + `"`)
			word = rest
		}
	}
	return b.String()
}
