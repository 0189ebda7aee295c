package mercury

import "testing"

// KIT-055: what takes time is taken from code that is the same otherwise, and from no other.
func TestSpacedLike(t *testing.T) {
	time := word(emptyAddition, emptyAdditionHigh)
	steps := stepsOf(multiply, nop, doubleAdd, end)
	for _, tt := range []struct {
		name    string
		like    []instruction
		numbers []int // nil: as they are
	}{
		{"the same", []instruction{multiply, nop, doubleAdd, end}, nil},
		{"none", []instruction{multiply, doubleAdd, end}, []int{0, 2, 3}},
		{"another one", []instruction{multiply, nop, doubleAdd, time, end}, []int{0, 1, 2, 3, 3}},
		{"other code", []instruction{multiply, nop, time, multiply, end}, nil},
		{"less code", []instruction{multiply, nop, time}, nil},
	} {
		var text []byte
		for _, x := range tt.like {
			text = x.Append(text)
		}
		spaced, numbers := spacedLike(steps, text)
		if len(spaced) != len(numbers) || len(numbers) != len(tt.numbers) {
			t.Errorf("%s: %v, want %v", tt.name, numbers, tt.numbers)
			continue
		}
		for i, n := range tt.numbers {
			if numbers[i] != n || spaced[i].Low != tt.like[i].Low {
				t.Errorf("%s: %v, want %v", tt.name, numbers, tt.numbers)
			}
		}
	}
}
