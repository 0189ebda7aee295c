package linker_test

import (
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// privateWords holds words that earlier code used with a meaning of its own, each with the usual term.
// Comments and identifiers must not contain these words.
var privateWords = map[string]string{
	"token":        "outstanding event",
	"tokens":       "outstanding events",
	"lean":         "on-demand waits",
	"sparing":      "reserves the last free scoreboard",
	"hurry":        "retarget stalls",
	"recolour":     "reallocate scoreboards",
	"recoloured":   "stack pointer unused",
	"pace":         "machine model",
	"kitchen":      "toolchain",
	"scene":        "fixture, sandbox",
	"scenes":       "fixtures, sandboxes",
	"surroundings": "environment",
	"fate":         "disposition",
	"fates":        "dispositions",
}

// privatePhrases are such phrases of several words.
var privatePhrases = regexp.MustCompile(`(?i)\b(dummy loads?|closed kernels?|let go)\b`)

// TestWords checks that no comment and no identifier of the repository contains a private word.
func TestWords(t *testing.T) {
	t.Parallel()
	for _, s := range sources(t) {
		if s.name == "linker/words_test.go" {
			continue
		}
		// The word token is allowed in code about Go's syntax and about LZ4's sequences.
		hasTokens := s.file.Name.Name == "lz4" || slices.ContainsFunc(s.file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"go/token"` })
		refuse := func(pos token.Pos, text string) {
			for _, word := range wordsOf(text) {
				if better := privateWords[word]; better != "" && !(hasTokens && strings.HasPrefix(word, "token")) {
					t.Errorf("%s: %q: say %s", s.position(pos), word, better)
				}
			}
		}
		refusePhrase := func(pos token.Pos, text string) {
			if phrase := privatePhrases.FindString(text); phrase != "" {
				t.Errorf("%s: %q is no term of the field", s.position(pos), phrase)
			}
		}
		for _, group := range s.file.Comments {
			refuse(group.Pos(), group.Text())
			refusePhrase(group.Pos(), group.Text())
		}
		ast.Inspect(s.file, func(node ast.Node) bool {
			if id, ok := node.(*ast.Ident); ok {
				refuse(id.Pos(), id.Name)
				refusePhrase(id.Pos(), strings.Join(wordsOf(id.Name), " "))
			}
			return true
		})
	}
}

// wordsOf returns the words of a comment, or of an identifier like issueCycle, in lower case.
func wordsOf(text string) []string {
	var out []string
	var word []rune
	end := func() {
		if len(word) > 0 {
			out = append(out, strings.ToLower(string(word)))
			word = word[:0]
		}
	}
	for i, r := range text {
		switch {
		case !unicode.IsLetter(r):
			end()
		case unicode.IsUpper(r) && i > 0 && len(word) > 0 && unicode.IsLower(word[len(word)-1]):
			end()
			word = append(word, r)
		default:
			word = append(word, r)
		}
	}
	end()
	return out
}
