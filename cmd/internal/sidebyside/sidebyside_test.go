package sidebyside

import (
	"slices"
	"testing"
)

func TestDifferences(t *testing.T) {
	t.Parallel()
	outcome := func(exit int, stdout, stderr string, files map[string][]byte) Outcome {
		return Outcome{exit, []byte(stdout), []byte(stderr), files}
	}
	file := func(text string) map[string][]byte { return map[string][]byte{"o": []byte(text)} }
	for _, c := range []struct {
		want, got Outcome
		all       []string
	}{
		{outcome(0, "a", "b", file("x")), outcome(0, "a", "b", file("x")), nil},
		{outcome(0, "", "", nil), outcome(0, "", "", nil), nil},
		{outcome(0, "", "", file("")), outcome(0, "", "", nil), []string{"output o"}},
		{outcome(0, "", "", nil), outcome(0, "", "", file("")), []string{"output o"}},
		{outcome(0, "", "", file("x")), outcome(0, "", "", file("y")), []string{"output o"}},
		{outcome(1, "a", "b", nil), outcome(0, "", "c\nd\n", nil), []string{"stdout: ", "stderr: c/d/", "exit status 0, want 1"}},
	} {
		if all := Differences(c.want, c.got, []string{"o"}); !slices.Equal(all, c.all) {
			t.Errorf("%q, want %q", all, c.all)
		}
	}
}
