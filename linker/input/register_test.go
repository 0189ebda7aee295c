package input

import "testing"

// LOAD-025: letters and digits stay, to the first and the last of them, and nothing beside.
func TestFileModule(t *testing.T) {
	if got, want := new(loader).fileModule("/09azAZ/:@[`{.é"), "_09azAZ"+"________"+"_"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
