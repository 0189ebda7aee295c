package command

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The test ends links at random times. The output must be either the old file or the new one. Windows removes the draft. The only
// exceptions are a draft that was just created and one that is about to be renamed: a call of the system that follows makes the one
// temporary, and gives the other its name (WIN-033). CULINK_KILLS sets the number of links.
func TestKilled(t *testing.T) {
	kills := 40
	if os.Getenv("CULINK_KILLS") != "" {
		kills = 1000
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cubin := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k.cubin", cubin)
	link := func() *exec.Cmd {
		cmd := exec.Command(program, "-arch=sm_90", "k.cubin", "-o", "out")
		cmd.Env = append(os.Environ(), linkerVariable+"=1")
		return cmd
	}
	began := time.Now()
	if out, err := link().CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	took := time.Since(began)
	complete := read(t, "out")
	seen := map[string]int{}
	for i := range kills {
		old := ""
		os.Remove("out")
		if i%2 == 0 {
			old = strings.Repeat("old", 5000)
			write(t, "out", []byte(old))
		}
		cmd := link()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took/2 + time.Duration(rand.Int64N(int64(took))))
		cmd.Process.Kill()
		cmd.Wait()
		data, _ := os.ReadFile("out")
		switch string(data) {
		case old:
			seen["old"]++
			took += took / 16 // so that half of the links end before they are killed
		case complete:
			seen["new"]++
			took -= took / 16
		default:
			t.Errorf("kill %d: %d bytes of %d", i, len(data), len(complete))
		}
		left, _ := filepath.Glob(".*")
		for _, name := range left {
			draft := read(t, name)
			if len(left) == 1 && string(data) == old && (draft == "" || draft == complete) {
				seen["between two calls"]++
			} else {
				t.Errorf("kill %d: left %s of %d bytes, and out is of %d of %d", i, name, len(draft), len(data), len(complete))
			}
			os.Remove(name)
		}
	}
	t.Log(seen)
}
