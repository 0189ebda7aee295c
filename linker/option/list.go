package option

import (
	"strings"

	"github.com/culink/culink/linker/diag"
)

// A list is one word with commas between its items. Double quotes protect commas and are dropped. Inside
// quotes, a quote after a backslash is an ordinary character, and the backslash is kept. Blanks around an
// item are removed, even inside quotes, and empty items are dropped (OPT-010).

// splitList returns the items of a list.
func splitList(text string) ([]string, error) {
	var items []string
	var item strings.Builder
	end := func() {
		if s := strings.Trim(item.String(), " \t"); s != "" {
			items = append(items, s)
		}
		item.Reset()
	}
	quoted := false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' && !(quoted && text[i-1] == '\\'):
			quoted = !quoted
		case c == ',' && !quoted:
			end()
		default:
			item.WriteByte(c)
		}
	}
	if quoted {
		return nil, diag.New(diag.StrayCharacter, `"`)
	}
	end()
	return items, nil
}
