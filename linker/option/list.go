package option

import (
	"strings"

	"github.com/culink/culink/linker/diag"
)

// A list is one word with commas between its items. Double quotes protect commas and are dropped. Inside
// quotes, a quote after a backslash is an ordinary character, and the backslash is kept. Blanks around an
// item are removed, even inside quotes, and empty items are dropped (OPT-010).

// splitList returns the items of a list. If brackets is set, the list is read as by releases in which square brackets
// protect commas as quotes do, and a backslash protects nothing (KIT-219).
func splitList(brackets bool, text string) ([]string, error) {
	return splitItems(brackets, text, ",")
}

// splitItems is splitList for any separators.
func splitItems(brackets bool, text, separators string) ([]string, error) {
	var items []string
	var item strings.Builder
	end := func() {
		if s := strings.Trim(item.String(), " \t"); s != "" {
			items = append(items, s)
		}
		item.Reset()
	}
	quoted, open := false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && quoted && !brackets:
			if i+1 == len(text) {
				return nil, diag.New(diag.StrayCharacter, "")
			}
			item.WriteByte(c)
			if text[i+1] == '"' {
				item.WriteByte('"')
				i++
			}
		case c == '"':
			quoted = !quoted
		case c == '[' && brackets && !quoted:
			open++
		case c == ']' && open > 0 && !quoted:
			open--
		case open == 0 && !quoted && strings.IndexByte(separators, c) >= 0:
			end()
		default:
			item.WriteByte(c)
		}
	}
	switch {
	case quoted:
		return nil, diag.New(diag.StrayCharacter, `"`)
	case open > 0:
		return nil, diag.New(diag.StrayCharacter, "[")
	}
	end()
	return items, nil
}
