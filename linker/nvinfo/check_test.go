package nvinfo

import "testing"

// TestHasPreV10 checks with which toolkits of the inputs the attribute is written (INFO-023).
func TestHasPreV10(t *testing.T) {
	for _, test := range []struct {
		toolkits []uint16
		want     bool
	}{{nil, false}, {[]uint16{130, 100}, false}, {[]uint16{130, 99}, true}, {[]uint16{0, 130}, true}} {
		var inputs []Origin
		for _, k := range test.toolkits {
			inputs = append(inputs, Origin{Toolkit: k})
		}
		if got := HasPreV10(inputs); got != test.want {
			t.Errorf("toolkits %v: %v", test.toolkits, got)
		}
	}
}

// TestLargeParametersRefused checks for which targets and toolkits large parameters are refused
// (INFO-051).
func TestLargeParametersRefused(t *testing.T) {
	tests := []struct {
		sm       int
		toolkits []uint16
		want     bool
	}{
		{80, []uint16{130, 130}, false}, {80, []uint16{130, 121}, false}, {80, []uint16{130, 120}, true},
		{75, []uint16{118, 130}, true}, {90, []uint16{120, 130}, false},
	}
	for _, test := range tests {
		var inputs []Origin
		for _, k := range test.toolkits {
			inputs = append(inputs, Origin{Toolkit: k})
		}
		if got := LargeParametersRefused(test.sm, inputs); got != test.want {
			t.Errorf("sm_%d, toolkits %v: %v", test.sm, test.toolkits, got)
		}
	}
}

// TestRegisterLimit checks which limit an attribute sets (INFO-050).
func TestRegisterLimit(t *testing.T) {
	tests := []struct {
		record Record
		limit  uint32
		ok     bool
	}{
		{Record{Format: Half, Code: MaxRegCount, Value: 32}, 32, true},
		{Record{Format: Half, Code: MaxRegCount, Value: 0x1020}, 32, true},
		{Record{Format: Byte, Code: MaxRegCount, Value: 0xff}, 255, true},
		{Record{Format: Half, Code: MaxRegCount, Value: 0}, 0, false},
		{Record{Format: Half, Code: MaxRegCount, Value: 0x1000}, 0, false},
	}
	for _, test := range tests {
		if limit, ok := RegisterLimit(test.record); limit != test.limit || ok != test.ok {
			t.Errorf("%v: %d, %v", test.record, limit, ok)
		}
	}
}

// TestTensorGeneration checks the generation of a record. If a record has several fragments, the
// last known one counts (INFO-053).
func TestTensorGeneration(t *testing.T) {
	tests := []struct {
		words []uint32
		want  TensorGeneration
	}{
		{nil, NoTensorMemory}, {[]uint32{1}, NoTensorMemory}, {[]uint32{4}, TensorMemory12}, {[]uint32{5, 1}, TensorMemory12},
		{[]uint32{6}, TensorMemory13}, {[]uint32{4, 6}, TensorMemory13}, {[]uint32{7, 5}, TensorMemory12}, {[]uint32{6, 4, 6}, TensorMemory13},
	}
	for _, test := range tests {
		if got := New(AtEntryFragments, test.words...).TensorGeneration(); got != test.want {
			t.Errorf("fragments %v: %v, want %v", test.words, got, test.want)
		}
	}
	var link TensorGeneration
	for i, step := range []struct {
		add  TensorGeneration
		want bool
	}{{NoTensorMemory, true}, {TensorMemory13, true}, {NoTensorMemory, true}, {TensorMemory13, true}, {TensorMemory12, false}} {
		if got := link.Add(step.add); got != step.want {
			t.Errorf("step %d: %v", i, got)
		}
	}
}
