package finalize

import (
	"reflect"
	"testing"

	"github.com/culink/culink/linker/mercury"
)

// The final code of one function is used for another one only if nothing that the finalizer looks at differs.
// Two kinds of fields do not count: those that are the same for all functions of a link, and those that only
// describe where the function is.
func TestSameFinal(t *testing.T) {
	ofLink := map[string]bool{"Partial": true, "Debug": true, "WaitsAtExit": true, "Finalizer": true, "Target": true, "Like": true}
	places := map[string]bool{"TextAt": true, "CapsuleAt": true}
	f := mercury.Function{Capsule: []byte{1, 0, 0, 0, 7}}
	other := f
	other.Capsule = []byte{2, 0, 0, 0, 7} // the number of its section
	if !sameFinal(&f, &other) {
		t.Error("copies differ")
	}
	for i := range reflect.TypeFor[mercury.Function]().NumField() {
		name := reflect.TypeFor[mercury.Function]().Field(i).Name
		if ofLink[name] || places[name] {
			continue
		}
		other := f
		switch v := reflect.ValueOf(&other).Elem().Field(i); v.Kind() {
		case reflect.Bool:
			v.SetBool(true)
		case reflect.Int, reflect.Int64:
			v.SetInt(1)
		case reflect.Uint16, reflect.Uint32:
			v.SetUint(1)
		case reflect.Struct:
			v.Field(0).SetBool(true) // of arch.Scheduler
		case reflect.Slice:
			v.SetBytes([]byte{1, 0, 0, 0, 8})
		case reflect.Map:
			v.Set(reflect.ValueOf(map[uint64][]uint64{0: {16}}))
		default:
			t.Fatalf("%s is a %v", name, v.Kind())
		}
		if sameFinal(&f, &other) {
			t.Errorf("functions with another %s are taken for copies", name)
		}
	}
}

// Slices are the same if they share all their bytes, or if both are empty.
func TestIsSame(t *testing.T) {
	a, b := []byte{1, 2}, []byte{1, 2}
	for _, tt := range []struct {
		name string
		x, y []byte
		want bool
	}{
		{"one slice", a, a, true},
		{"equal ones", a, b, false},
		{"one byte", a[:1], a[:1], true},
		{"one byte of two", a[:1], b[:1], false},
		{"a part", a, a[:1], false},
		{"one inside the other", a[1:], a[:1], false},
		{"nothing", nil, []byte{}, true},
	} {
		if got := isSame(tt.x, tt.y); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}
