package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal. Text that is written to screen can be read from person.
func terminal(t *testing.T) (screen, person *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	t.Cleanup(func() { person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Skip("no pseudo-terminals: ", err)
	}
	return screen, person
}

// Verdicts are coloured at a terminal, unless NO_COLOR is set or the terminal does not support colours.
func TestColour(t *testing.T) {
	lazy := lazyLinker(t)
	for _, tt := range []struct {
		variable, value string
		colour          bool
	}{{"NO_COLOR", "", true}, {"NO_COLOR", "1", false}, {"TERM", "dumb", false}} {
		t.Run(tt.variable+"="+tt.value, func(t *testing.T) {
			t.Setenv("TERM", "xterm")
			t.Setenv("NO_COLOR", "")
			t.Setenv(tt.variable, tt.value)
			screen, person := terminal(t)
			seen := make(chan string)
			go func() {
				var all []byte
				part := make([]byte, 4096)
				for {
					n, err := person.Read(part)
					all = append(all, part[:n]...)
					if err != nil { // the screen is closed
						seen <- string(all)
						return
					}
				}
			}()
			run(context.Background(), []string{"run", "-linker", lazy, "-run", "basic/one-kernel", "-sm", "80", "-facet", "file"}, screen, screen)
			screen.Close()
			text := <-seen
			for _, want := range []string{"\x1b[1;31mFAIL\x1b[0m basic/one-kernel", "\x1b[1;31mFAIL\x1b[0m: differing"} {
				if strings.Contains(text, want) != tt.colour {
					t.Errorf("colour %v:\n%q", !tt.colour, text)
				}
			}
		})
	}
}
