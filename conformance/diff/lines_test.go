package diff

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFirstLine(t *testing.T) {
	for _, tt := range []struct {
		a, b     string
		number   int
		inA, inB string
	}{
		{"", "", 0, "", ""},
		{"x\ny\n", "x\ny\n", 0, "", ""},
		{"x\ny\n", "x\nz\n", 2, "y\n", "z\n"},
		{"x\n", "x\ny\n", 2, "", "y\n"},
		{"x", "x\n", 1, "x", "x\n"},
	} {
		number, inA, inB := FirstLine(tt.a, tt.b)
		if number != tt.number || inA != tt.inA || inB != tt.inB {
			t.Errorf("FirstLine(%q, %q) = %d, %q, %q", tt.a, tt.b, number, inA, inB)
		}
	}
}

// numbered returns lines 1 to n, with some of them replaced.
func numbered(n int, instead map[int]string) string {
	var s strings.Builder
	for i := 1; i <= n; i++ {
		if line, ok := instead[i]; ok {
			s.WriteString(line)
			continue
		}
		fmt.Fprintln(&s, i)
	}
	return s.String()
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name, a, b, want string
	}{
		{"equal", "x\n", "x\n", ""},
		{"a line too many is one difference", numbered(9, nil), numbered(9, map[int]string{5: "new\n5\n"}),
			"@@ -2,6 +2,7 @@\n 2\n 3\n 4\n+new\n 5\n 6\n 7\n"},
		{"changes apart", numbered(20, nil), numbered(20, map[int]string{2: "two\n", 15: ""}),
			"@@ -1,5 +1,5 @@\n 1\n-2\n+two\n 3\n 4\n 5\n@@ -12,7 +12,6 @@\n 12\n 13\n 14\n-15\n 16\n 17\n 18\n"},
		{"changes whose context meets", numbered(9, nil), numbered(9, map[int]string{2: "", 8: ""}),
			"@@ -1,9 +1,7 @@\n 1\n-2\n 3\n 4\n 5\n 6\n 7\n-8\n 9\n"},
		{"nothing to begin with", "", "x\n", "@@ -1,0 +1,1 @@\n+x\n"},
		{"the newline at the end", "x", "x\n", "@@ -1,1 +1,1 @@\n-x\n\\ no newline at the end\n+x\n"},
		{"what a terminal would obey", "x\n", "\x1b[2Jx\n", "@@ -1,1 +1,1 @@\n-x\n+\"\\x1b[2Jx\"\n"},
		{"what is no text", "x\n", "\x9b2Jx\n", "@@ -1,1 +1,1 @@\n-x\n+\"\\x9b2Jx\"\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Lines(tt.a, tt.b, 100); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
		})
	}
	if got, want := Lines("a\nb\nc\n", "", 2), "@@ -1,3 +1,0 @@\n-a\n... and 2 more lines\n"; got != want {
		t.Errorf("at most two lines:\n%swant\n%s", got, want)
	}
}

// The lines with '-' and ' ' are those of a, and the lines with '+' and ' ' are those of b. Every change is shown.
func TestLinesAreThoseOfTheTexts(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"", "x", "y", "z"}), 0, 20).Draw(t, "lines"), "\n")
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		edits, number := compareLines(a, b)
		if (a == b) != (Lines(a, b, 100) == "") {
			t.Fatalf("%q and %q: %q", a, b, Lines(a, b, 100))
		}
		if a == b {
			return
		}
		var sides [2]string
		for _, e := range edits {
			if e.mark != '+' {
				sides[0] += e.line
			}
			if e.mark != '-' {
				sides[1] += e.line
			}
		}
		for i, whole := range []string{a, b} {
			before := strings.SplitAfter(whole, "\n")[:number.a-1]
			if strings.Join(before, "")+sides[i] != whole {
				t.Fatalf("%q behind %d lines, not of %q", sides[i], number.a-1, whole)
			}
		}
		shown := Lines(a, b, 1000)
		for _, e := range edits {
			if e.mark != ' ' && !strings.Contains(shown, e.String()+"\n") {
				t.Fatalf("%q is not shown:\n%s", e, shown)
			}
		}
	})
}

// Texts may be longer than the part that is compared, and may have more different lines than there are Unicode
// characters. Their differences are shown from the first one on.
func TestLinesOfLongTexts(t *testing.T) {
	a := numbered(70000, nil)
	got := Lines(a, strings.Replace(a, "\n60000\n", "\nelse\n", 1), 100)
	if want := "@@ -59997,7 +59997,7 @@\n 59997\n 59998\n 59999\n-60000\n+else\n 60001\n 60002\n 60003\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}
