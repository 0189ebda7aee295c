package attempt

import (
	"maps"
	"testing"
)

func TestClasses(t *testing.T) {
	for _, c := range []struct {
		o    Outcome
		want Class
	}{
		{Outcome{}, ClassEnd},
		{Outcome{Exit: 1}, ClassEnd},
		{Outcome{Exit: 255}, ClassEnd},
		{Outcome{Exit: 128}, ClassEnd},
		{Outcome{Exit: 134}, ClassCrash},
		{Outcome{Exit: 139}, ClassCrash},
		{Outcome{Exit: 0xc0000005}, ClassCrash},
		{Outcome{Exit: 137, Killed: "time"}, ClassHang},
		{Outcome{Exit: 137, Killed: "output"}, ClassFlood},
	} {
		if got := c.o.Class(); got != c.want {
			t.Errorf("exit %d, killed %q: %q, want %q", c.o.Exit, c.o.Killed, got, c.want)
		}
	}
}

// Marks are stored as text.
func TestMarksAreStored(t *testing.T) {
	marks := Marks{"deep/er/": "an empty folder", "$TMPDIR/culink.tmp": "left"}
	if again := ParseMarks(marks.Text()); !maps.Equal(again, marks) {
		t.Errorf("read again: %q", again)
	}
}
