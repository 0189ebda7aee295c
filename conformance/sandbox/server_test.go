package sandbox

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/confine"
)

// serverVariable makes the test program a server. The first argument of a link selects its behaviour.
const serverVariable = "CONFORMANCE_TEST_SERVER"

func fakeServer() {
	lines := bufio.NewScanner(os.Stdin)
	for served := 1; lines.Scan(); served++ {
		var link ServedLink
		if json.Unmarshal(lines.Bytes(), &link) != nil {
			os.Exit(9)
		}
		switch link.Args[0] {
		case "crash":
			os.Exit(7)
		case "leave":
			os.Exit(0)
		case "mutter":
			fmt.Println("hello")
			continue
		case "flood":
			fmt.Println(strings.Repeat("x", 1<<20))
			continue
		case "hang":
			time.Sleep(time.Minute)
		case "escape":
			_ = os.WriteFile(link.Args[1], []byte("out"), 0o666)
		case "join":
			data, _ := os.ReadFile(filepath.Join(link.Dir, "in"))
			_ = os.WriteFile(filepath.Join(link.Dir, "out"), append(data, data...), 0o666)
		}
		reply, _ := json.Marshal(ServedOutcome{Exit: served, Stderr: "served\n"})
		fmt.Printf("%s\n", reply)
	}
}

func newFakeServer(t *testing.T) *Server {
	s := &Server{Linker: Linker{Command: []string{os.Args[0]}, Limits: Limits{Time: 20 * time.Second}, Env: []string{serverVariable + "=1"}}}
	t.Cleanup(s.Close)
	return s
}

// One child serves many links, each in a separate folder. If the child crashes or hangs, the outcome of the link records
// that, and a new child replaces it.
func TestServer(t *testing.T) {
	s := newFakeServer(t)
	ask := func(argv ...string) *attempt.Outcome {
		t.Helper()
		o, err := s.Run(t.Context(), attempt.Files{"in": []byte("a")}, argv)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	for served := 1; served <= 3; served++ {
		o := ask("join")
		if o.Exit != served || string(o.Files["out"]) != "aa" || len(o.Files) != 1 || !strings.Contains(string(o.Stderr), "served") {
			t.Errorf("link %d: %+v", served, o)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside")
	ask("escape", outside)
	if _, err := os.Stat(outside); err == nil && strings.HasPrefix(confine.Describe(false), "Landlock") {
		t.Error("a server writes outside of its folder")
	}
	if o := ask("crash"); o.Exit != 7 || len(o.Files) != 0 {
		t.Errorf("a crash: %+v", o)
	}
	if o := ask("join"); o.Exit != 1 {
		t.Errorf("after a crash: %+v", o)
	}
	for _, word := range []string{"leave", "mutter"} {
		if o := ask(word); o.Exit == 0 || !strings.Contains(string(o.Stderr), "no answer") {
			t.Errorf("%s: %+v", word, o)
		}
	}
	s.Limits.Output = 1 << 16
	if o := ask("flood"); o.Killed != "output" {
		t.Errorf("a flood: %+v", o)
	}
	if o := ask("join"); o.Exit != 1 || string(o.Files["out"]) != "aa" {
		t.Errorf("after a flood: %+v", o)
	}
	s.Limits.Time = 100 * time.Millisecond
	if o := ask("hang"); o.Killed != "time" {
		t.Errorf("a child that hangs: %+v", o)
	}
}
