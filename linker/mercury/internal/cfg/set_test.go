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
