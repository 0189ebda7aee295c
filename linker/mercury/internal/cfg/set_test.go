package cfg

import "testing"

// From looks at the numbers from one on, also where it is not the first of its word.
func TestFrom(t *testing.T) {
	for _, number := range []int{0, 1, 63, 64, 65, 127, 128} {
		s := NewSet(192)
		s.Add(number)
		for least := range 192 {
			if got := s.From(least); got != (number >= least) {
				t.Errorf("{%d} from %d: %v", number, least, got)
			}
		}
	}
}

// Three sets meet if one number is in all of them, not if each two have one in common.
func TestMeetsBoth(t *testing.T) {
	of := func(numbers ...int) Set {
		s := NewSet(100)
		for _, n := range numbers {
			s.Add(n)
		}
		return s
	}
	if of(1, 70).MeetsBoth(of(1, 80), of(70, 80)) || !of(1, 70).MeetsBoth(of(2, 70), of(70, 80)) {
		t.Error("sets that meet, or that do not")
	}
}
