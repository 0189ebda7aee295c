package command

import (
	"os"
	"testing"
)

// Windows removes the draft of a link that is killed. The only exceptions are a draft that was just created and one that is
// about to be renamed: a call of the system that follows makes the one temporary, and gives the other its name (WIN-033).
func TestKilled(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	killing{
		kills: 40, program: program, env: []string{linkerVariable + "=1"}, from: 0.5, span: 1, adapts: true,
		signals: []os.Signal{os.Kill},
		excuse:  "between two calls",
		excused: func(_ os.Signal, draft, complete string) bool { return draft == "" || draft == complete },
	}.check(t)
}
