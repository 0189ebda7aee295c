package commandline

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
)

// parse sets the flags among the words and returns the other words. Package flag would stop at the first word that is
// not a flag, and would print the whole help after a mistake.
func parse(flags *flag.FlagSet, words []string) (args []string, err error) {
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if word == "--" {
			return append(args, words...), nil
		}
		if len(word) < 2 || word[0] != '-' { // "-" alone is stdin
			args = append(args, word)
			continue
		}
		name, value, given := strings.Cut(strings.TrimPrefix(word[1:], "-"), "=")
		f := flags.Lookup(name)
		switch {
		case f == nil:
			return nil, fmt.Errorf("no flag -%s%s", name, suggest(name, flagNames(flags), "-"))
		case given:
		case isSwitch(f):
			value = "true"
		case len(words) == 0:
			kind, _ := flag.UnquoteUsage(f)
			return nil, fmt.Errorf("-%s needs a value: -%s %s", name, name, kind)
		default:
			value, words = words[0], words[1:]
		}
		if err := flags.Set(name, value); err != nil {
			return nil, fmt.Errorf("-%s %s: %w", name, value, err)
		}
	}
	return args, nil
}

func flagNames(flags *flag.FlagSet) (names []string) {
	flags.VisitAll(func(f *flag.Flag) { names = append(names, f.Name) })
	return names
}

// suggest returns the word of a list that the user probably meant, or the empty string if none is similar.
func suggest(word string, list []string, dash string) string {
	distances := func(a, b string) int { return cmp.Compare(Distance(word, a), Distance(word, b)) }
	if len(list) == 0 {
		return ""
	}
	nearest := slices.MinFunc(list, distances)
	far := Distance(word, nearest) > max(1, len(word)/3)
	if far {
		isStart := func(s string) bool { return len(word) > 1 && strings.HasPrefix(s, word) }
		i := slices.IndexFunc(list, isStart)
		if i < 0 {
			return ""
		}
		nearest = list[i]
	}
	return fmt.Sprintf("; did you mean %s%s?", dash, nearest)
}

// Distance returns the number of letters to add, remove, change or swap with the next one in order to turn a into b.
func Distance(a, b string) int {
	d := make([][]int, len(a)+1) // d[i][j] is the distance of a[:i] and b[:j]
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range b {
		d[0][j+1] = j + 1
	}
	for i := range len(a) {
		for j := range len(b) {
			change := d[i][j]
			if a[i] != b[j] {
				change++
			}
			d[i+1][j+1] = min(change, d[i][j+1]+1, d[i+1][j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				d[i+1][j+1] = min(d[i+1][j+1], d[i-1][j-1]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
