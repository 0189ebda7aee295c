package command

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/culink/culink/conformance"
)

// The test ends links at random times with each signal that ends a process. The output must be either the old file or
// the new one, and no other file may remain (OPT-052). The only exception is SIGKILL between two renames. CULINK_KILLS
// sets the number of links.
func TestKilled(t *testing.T) {
	linker, err := conformance.BuildReference(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	kills := 60
	if os.Getenv("CULINK_KILLS") != "" {
		kills = 1000
	}
	cubin := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k.cubin", cubin)
	link := func() *exec.Cmd {
		return exec.Command(linker.Command[0], "-arch=sm_90", "k.cubin", "-o", "out")
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
		time.Sleep(time.Duration(rand.Int64N(int64(took) * 5 / 4)))
		cmd.Process.Signal([]os.Signal{syscall.SIGKILL, syscall.SIGTERM, os.Interrupt, syscall.SIGHUP}[i%4])
		cmd.Wait()
		data, _ := os.ReadFile("out")
		switch string(data) {
		case old:
			seen["old"]++
		case complete:
			seen["new"]++
		default:
			t.Errorf("kill %d: %d bytes of %d", i, len(data), len(complete))
		}
		left, _ := filepath.Glob(".*")
		for _, name := range left {
			// Linux has no call that gives an unnamed file a name that already exists. So SIGKILL can arrive after the draft
			// got a temporary name and before the rename.
			if i%4 == 0 && len(left) == 1 && string(data) == old && read(t, name) == complete {
				seen["between names"]++
			} else {
				t.Errorf("kill %d: left %s", i, name)
			}
			os.Remove(name)
		}
	}
	t.Log(seen)
}

// Two links with the same output leave the complete file of one of them.
func TestTwoWriters(t *testing.T) {
	linker, err := conformance.BuildReference(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	k1, k2 := testCubin(t, "k1.cubin"), testCubin(t, "k2.cubin")
	t.Chdir(t.TempDir())
	write(t, "k1.cubin", k1)
	write(t, "k2.cubin", k2)
	outputs := map[string]bool{}
	links := func() []*exec.Cmd {
		return []*exec.Cmd{
			exec.Command(linker.Command[0], "-arch=sm_90", "k1.cubin", "-o", "out"),
			exec.Command(linker.Command[0], "-arch=sm_90", "k1.cubin", "k2.cubin", "-o", "out"),
		}
	}
	for _, cmd := range links() {
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		outputs[read(t, "out")] = true
	}
	for range 30 {
		both := links()
		for _, cmd := range both {
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
		}
		for _, cmd := range both {
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		}
		if !outputs[read(t, "out")] {
			t.Error("the output is of neither link")
		}
	}
}

// If the file-size limit stops a write, as a full disk would, the old output stays and a message is printed (OPT-057).
func TestFullDiskLeavesOld(t *testing.T) {
	linker, err := conformance.BuildReference(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cubin := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k.cubin", cubin)
	write(t, "out", []byte("old"))
	cmd := exec.Command("sh", "-c", `ulimit -f 1; exec "$0" -arch=sm_90 k.cubin -o out`, linker.Command[0])
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Run(); err == nil || !strings.HasSuffix(stderr.String(), "Could not write file 'out'\n") {
		t.Errorf("%v, %q", err, stderr.String())
	}
	if got := read(t, "out"); got != "old" {
		t.Errorf("the output has %d bytes", len(got))
	}
	if files, _ := os.ReadDir("."); len(files) != 2 {
		t.Errorf("%d files", len(files))
	}
}
