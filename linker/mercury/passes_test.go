package mercury

import (
	"regexp"
	"testing"

	"github.com/culink/culink/linker/mercury/internal/machine"
	"github.com/culink/culink/linker/mercury/internal/machinetest"
	"github.com/culink/culink/linker/mercury/internal/scoreboard"
)

// Each pass has its own name and a rule.
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

// A report states the change of a pass with its rule, and the event whose scoreboard the rules do not
// explain.
func TestReportsInWords(t *testing.T) {
	if got, want := (PassReport{"scoreboards", "MERC-120", Reallocated}).String(), "scoreboards (MERC-120): reallocated"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, tt := range []struct {
		is   *scoreboard.Refusal
		want string
	}{
		{&scoreboard.Refusal{At: 26, Op: 0x181, Chosen: 2, Have: 3}, "LDG at 0x1a0 result: rule SB2 (MERC-133), input SB3"},
		{&scoreboard.Refusal{At: 1, Op: 0x1ff, Operands: true, Chosen: 0, Have: 5}, "0x1ff at 0x10 operands: rule SB0 (MERC-133), input SB5"},
		{scoreboard.TooMuch, "the assignment of scoreboards would take too long (MERC-133)"},
	} {
		if got := tt.is.String(); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// If the rules assign an event a scoreboard other than that of the input, the refusal names the event
// (MERC-150).
func TestRefusalNamesTheEvent(t *testing.T) {
	code := []machine.Instr{machinetest.LoadPointer.WithWriteBarrier(0), machinetest.ReadID.WithWriteBarrier(4), machinetest.Multiply.WithWaitMask(1 << 4), machinetest.End}
	_, refused, ok := scoreboard.Reallocate(code, nil, 100, scoreboard.Goal{FreesStack: true})
	if ok || refused == nil {
		t.Fatalf("reallocated: %v, %v", ok, refused)
	}
	if got, want := refused.String(), "S2R at 0x10 result: rule SB1 (MERC-133), input SB4"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
