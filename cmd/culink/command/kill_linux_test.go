package command

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// Each signal that ends a process leaves either the old file or the new one, and no other file (OPT-052). The only
// exception is SIGKILL between two renames: Linux has no call that gives an unnamed file a name that already exists. So it
// can arrive after the draft got a temporary name and before the rename.
func TestKilled(t *testing.T) {
	killing{
		kills: 60, program: asProgram(t), span: 1.25,
		signals: []os.Signal{syscall.SIGKILL, syscall.SIGTERM, os.Interrupt, syscall.SIGHUP},
		excuse:  "between names",
		excused: func(signal os.Signal, draft, complete string) bool {
			return signal == syscall.SIGKILL && draft == complete
		},
	}.check(t)
}

// Two links with the same output leave the complete file of one of them.
func TestTwoWriters(t *testing.T) {
	culink := asProgram(t)
	k1, k2 := testCubin(t, "k1.cubin"), testCubin(t, "k2.cubin")
	t.Chdir(t.TempDir())
	write(t, "k1.cubin", k1)
	write(t, "k2.cubin", k2)
	outputs := map[string]bool{}
	links := func() []*exec.Cmd {
		return []*exec.Cmd{
			exec.Command(culink, "-arch=sm_90", "k1.cubin", "-o", "out"),
			exec.Command(culink, "-arch=sm_90", "k1.cubin", "k2.cubin", "-o", "out"),
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
	culink := asProgram(t)
	cubin := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k.cubin", cubin)
	write(t, "out", []byte("old"))
	cmd := exec.Command("sh", "-c", `ulimit -f 1; exec "$0" -arch=sm_90 k.cubin -o out`, culink)
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
