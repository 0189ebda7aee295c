package mercury

import (
	"regexp"
	"testing"
)

// Each pass has a name of its own and a rule.
func TestPassesHaveNames(t *testing.T) {
	rule := regexp.MustCompile(`^(MERC|KIT)-\d+$`)
	seen := map[string]bool{}
	for _, p := range passes {
		if p.name == "" || seen[p.name] || !rule.MatchString(p.rule) {
			t.Errorf("pass %q, rule %q", p.name, p.rule)
		}
		seen[p.name] = true
	}
}

// What a pass changed is told with its rule; so is the event whose scoreboard the rules do not explain.
func TestReportsInWords(t *testing.T) {
	if got, want := (PassReport{"scoreboards", "MERC-120", Recoloured}).String(), "scoreboards (MERC-120): recoloured"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, tt := range []struct {
		is   *refusal
		want string
	}{
		{&refusal{at: 26, op: 0x181, chosen: 2, have: 3}, "LDG at 0x1a0 result: rule SB2 (MERC-133), input SB3"},
		{&refusal{at: 1, op: 0x1ff, operands: true, chosen: 0, have: 5}, "0x1ff at 0x10 operands: rule SB0 (MERC-133), input SB5"},
		{tooMuch, "the assignment of scoreboards would take too long (MERC-133)"},
	} {
		if got := tt.is.String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// MERC-150: where the rules find another scoreboard beside the stack pointer than the input has, the refusal names it.
func TestRefusalNamesTheEvent(t *testing.T) {
	code := []instruction{loadPointer.WithWriteBarrier(0), readID.WithWriteBarrier(4), multiply.WithWaitMask(1 << 4), end}
	_, refused, ok := recolour(code, nil, 100, goal{freesStack: true})
	if ok || refused == nil {
		t.Fatalf("recoloured: %v, %v", ok, refused)
	}
	if got, want := refused.String(), "S2R at 0x10 result: rule SB1 (MERC-133), input SB4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
