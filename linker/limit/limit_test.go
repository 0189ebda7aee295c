package limit

import (
	"errors"
	"math"
	"testing"
)

// The value of --limit is a name and a number, with a suffix for powers of 1024 (OPT-512).
func TestSet(t *testing.T) {
	for _, c := range []struct {
		text string
		kind Kind
		want uint64
		err  error
	}{
		{"decoded=2G", Decoded, 2 << 30, nil},
		{"shared=1", Shared, 1, nil},
		{"read=18446744073709551615", Read, math.MaxUint64, nil},
		{"read=17179869183G", Read, 17179869183 << 30, nil},
		{"read=17179869184G", Read, 0, ErrNumber}, // 2^64
		{"matches=0", Matches, 0, ErrNumber},
		{"responses=-1", Responses, 0, ErrNumber},
		{"responses=", Responses, 0, ErrNumber},
		{"responses", Responses, 0, ErrNumber},
		{"K=1", 0, 0, ErrName},
		{"", 0, 0, ErrName},
	} {
		var l Limits
		err := l.Set(c.text)
		if !errors.Is(err, c.err) || l[c.kind] != c.want {
			t.Errorf("%q: %d, %v", c.text, l[c.kind], err)
		}
	}
}

// A budget can be used up to its limit in any steps. A refused request takes nothing (LIMIT-001).
func TestTake(t *testing.T) {
	var b Budget
	b.Limits[Shared] = 10
	for _, c := range []struct {
		n  uint64
		ok bool
	}{{7, true}, {4, false}, {math.MaxUint64, false}, {3, true}, {1, false}, {0, true}} {
		err := b.Take(Shared, c.n)
		var exceeded *Error
		if (err == nil) != c.ok || err != nil && (!errors.As(err, &exceeded) || exceeded.Name() != "shared" || exceeded.Most != 10) {
			t.Errorf("%d: %v", c.n, err)
		}
	}
	if err := b.Take(Decoded, table[Decoded].Most+1); err == nil {
		t.Error("more is decoded than allowed")
	}
	if err := errors.Join(b.Take(Read, 1<<20), b.Take(Decoded, table[Decoded].Most+64<<20)); err != nil {
		t.Error(err)
	}
	if err := b.Take(Decoded, 1); err == nil {
		t.Error("more is decoded than 64 bytes for each that was read")
	}
}

// The defaults are far above the needs of ordinary links, and equal to the numbers in the errata (LIMIT-001).
func TestDefaults(t *testing.T) {
	var none Limits
	for kind, want := range [kinds]uint64{Read: 17_179_869_184, Decoded: 268_435_456, Shared: 1_048_576, Responses: 10_000, Matches: 268_435_456, LookUps: 1_048_576} {
		if got := none.Most(Kind(kind)); got != want {
			t.Errorf("%s: %d, want %d", table[kind].Name, got, want)
		}
	}
	if MostOfFile != 1_073_741_824 {
		t.Errorf("%d bytes of a file", MostOfFile)
	}
}
