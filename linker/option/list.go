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
	return splitter{separators: ",", brackets: brackets}.split(text)
}

// A splitter splits a text into items.
type splitter struct {
	separators string
	brackets   bool // square brackets protect separators as quotes do, and are dropped
	// escapes makes a backslash protect the next character anywhere. The backslash is dropped, and quotes are dropped
	// after the blanks around an item, so that empty quotes are an item (OPT-015).
	escapes bool
}

func (s splitter) split(text string) ([]string, error) {
	var items []string
	var item strings.Builder
	end := func() {
		if trimmed := strings.Trim(item.String(), " \t"); trimmed != "" {
			if s.escapes {
				trimmed = unquote(trimmed)
			}
			items = append(items, trimmed)
		}
		item.Reset()
	}
	quoted, open := false, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && (s.escapes || quoted && !s.brackets):
			if i+1 == len(text) {
				return nil, diag.New(diag.StrayCharacter, "")
			}
			if !s.escapes {
				item.WriteByte(c)
			}
			if s.escapes || text[i+1] == '"' {
				i++
				item.WriteByte(text[i])
			}
		case c == '"':
			quoted = !quoted
			if s.escapes {
				item.WriteByte(c)
			}
		case c == '[' && s.brackets && !quoted:
			open++
		case c == ']' && open > 0 && !quoted:
			open--
		case open == 0 && !quoted && strings.IndexByte(s.separators, c) >= 0:
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

// unquote returns an item without its quotes. One directly behind a backslash stays.
func unquote(item string) string {
	var text strings.Builder
	for i := range len(item) {
		if item[i] != '"' || i > 0 && item[i-1] == '\\' {
			text.WriteByte(item[i])
		}
	}
	return text.String()
}
