package sandbox

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/culink/culink/conformance/attempt"
)

// hostile runs a shell script as a linker under test. In the script, OUT is a folder that does not belong to the linker.
func hostile(t *testing.T, script string, change func(*Linker)) (o *attempt.Outcome, out string) {
	t.Helper()
	out = t.TempDir()
	file := filepath.Join(t.TempDir(), "linker")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+strings.ReplaceAll(script, "OUT", out)), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(out, "kept"), []byte("kept"), 0o666); err != nil {
		t.Fatal(err)
	}
	limits := DefaultLimits
	limits.Time = 30 * time.Second
	l := &Linker{Command: []string{file}, Limits: limits}
	if change != nil {
		change(l)
	}
	o, err := l.Run(t.Context(), attempt.Files{"in": []byte("in")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o, out
}

// needsLandlock skips a test if the kernel cannot restrict access to files.
func needsLandlock(t *testing.T) {
	t.Helper()
	needsGuard(t, "Landlock")
}

// A linker under test creates, changes and removes nothing outside its folder.
func TestNothingOutside(t *testing.T) {
	needsLandlock(t)
	const script = `echo x >OUT/new; mkdir OUT/folder; echo x >OUT/kept; truncate -s 0 OUT/kept; rm -f OUT/kept; mv OUT/kept OUT/moved
ln -s x OUT/link; ln OUT/kept linked; mkfifo OUT/pipe; cp in inside; exit 7`
	for _, trusted := range []bool{false, true} {
		o, out := hostile(t, script, func(l *Linker) { l.Trusted = trusted })
		left, err := os.ReadDir(out)
		if err != nil {
			t.Fatal(err)
		}
		kept, _ := os.ReadFile(filepath.Join(out, "kept"))
		untouched := len(left) == 1 && string(kept) == "kept"
		if o.Exit != 7 || string(o.Files["inside"]) != "in" || untouched == trusted {
			t.Errorf("trusted %v: exit status %d, files %v, %d outside, %q; %s", trusted, o.Exit, o.Files.Names(), len(left), kept, o.Stderr)
		}
	}
}

// A linker reads nothing outside its folder, and its environment contains no secrets (CONF-061).
func TestReadsItsOwn(t *testing.T) {
	needsLandlock(t)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PASSWORD", "secret")
	script := "cat in; cat " + secret + " /etc/passwd /proc/1/environ /proc/$PPID/environ; ls /root /home /tmp; env; /bin/true && echo fine"
	o, _ := hostile(t, script, nil)
	if got := string(o.Stdout); !strings.HasPrefix(got, "in") || !strings.HasSuffix(got, "fine\n") || strings.Contains(got, "secret") || strings.Contains(got, "root:") {
		t.Errorf("read %q; %s", o.Stdout, o.Stderr)
	}
	o, _ = hostile(t, script, func(l *Linker) { l.Reads = []string{"/etc/passwd", filepath.Dir(secret)} })
	if got := string(o.Stdout); !strings.Contains(got, "root:") || !strings.Contains(got, "secret") || strings.Contains(got, "PASSWORD") {
		t.Errorf("what it is let read: %q", got)
	}
}

// Processes that a linker leaves running end with it, whatever their session.
func TestNothingGoesOn(t *testing.T) {
	const ready = " while ! [ -s pid ]; do sleep 0.01; done"
	for name, script := range map[string]string{
		"in the background":  "sleep 1000 & echo $! >pid",
		"in another session": "setsid sh -c 'echo $$ >pid; exec sleep 1000' >/dev/null 2>&1 </dev/null &" + ready,
		"twice removed":      "(setsid sh -c 'setsid sleep 1000 & echo $! >pid' &) >/dev/null 2>&1; sleep 0.1",
		"deaf":               "setsid sh -c 'trap \"\" HUP TERM INT; echo $$ >pid; while :; do sleep 1; done' >/dev/null 2>&1 &" + ready,
	} {
		began := time.Now()
		o, _ := hostile(t, script, nil)
		pid, err := strconv.Atoi(strings.TrimSpace(string(o.Files["pid"])))
		if err != nil || o.Exit != 0 {
			t.Errorf("%s: exit status %d, pid %q; %s", name, o.Exit, o.Files["pid"], o.Stderr)
			continue
		}
		if syscall.Kill(pid, 0) != syscall.ESRCH {
			t.Errorf("%s: %d still runs", name, pid)
			syscall.Kill(pid, syscall.SIGKILL)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
	short := func(l *Linker) { l.Limits.Time = 2 * time.Second }
	o, _ := hostile(t, "setsid sleep 1000 & echo $! >pid; sleep 1000", short)
	if pid, _ := strconv.Atoi(strings.TrimSpace(string(o.Files["pid"]))); o.Killed != "time" || pid == 0 || syscall.Kill(pid, 0) != syscall.ESRCH {
		t.Errorf("past its time: killed %q, pid %d", o.Killed, pid)
	}
}

// A linker cannot end or stop the harness, or its supervisor.
func TestSignals(t *testing.T) {
	needsGuard(t, "signals")
	o, _ := hostile(t, fmt.Sprintf("for s in TERM STOP KILL; do kill -$s $PPID; kill -$s %d; done; exit 7", os.Getpid()), nil)
	if o.Exit != 7 || o.Killed != "" || strings.Count(string(o.Stderr), "not permitted") < 6 {
		t.Errorf("exit status %d, killed %q, %s", o.Exit, o.Killed, o.Stderr)
	}
}

// A linker cannot reach a network.
func TestNetwork(t *testing.T) {
	needsGuard(t, "TCP")
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip(err)
	}
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer server.Close()
	script := fmt.Sprintf("bash -c 'echo >/dev/tcp/127.0.0.1/%d' && exit 7", server.Addr().(*net.TCPAddr).Port)
	for _, trusted := range []bool{false, true} {
		if o, _ := hostile(t, script, func(l *Linker) { l.Trusted = trusted }); (o.Exit == 7) != trusted {
			t.Errorf("trusted %v: exit status %d; %s", trusted, o.Exit, o.Stderr)
		}
	}
}

// The system call filter rejects calls that Landlock allows, such as opening other sockets and changing the limits of
// other processes.
func TestSystemCalls(t *testing.T) {
	needsGuard(t, "no sockets")
	for name, program := range map[string]string{
		"bash -c 'echo >/dev/udp/127.0.0.1/9' && exit 7":         "bash",
		"prlimit --pid $PPID --nofile=4096:4096 && exit 7":       "prlimit",
		"python3 -c 'import socket; socket.socket(1)' && exit 7": "python3",
	} {
		if _, err := exec.LookPath(program); err != nil {
			continue
		}
		for _, trusted := range []bool{false, true} {
			if o, _ := hostile(t, name, func(l *Linker) { l.Trusted = trusted }); (o.Exit == 7) != trusted {
				t.Errorf("%s, trusted %v: exit status %d; %s", name, trusted, o.Exit, o.Stderr)
			}
		}
	}
}

// The limits of a linker are set before its first instruction.
func TestLimitsBeforeStart(t *testing.T) {
	needsGuard(t, "limits before start")
	for range 20 {
		o, _ := hostile(t, "ulimit -f; ulimit -v; ulimit -c", func(l *Linker) { l.Limits.File, l.Limits.Memory = 1<<20, 1<<30 })
		if got := string(o.Stdout); got != "2048\n1048576\n0\n" && got != "1024\n1048576\n0\n" {
			t.Fatalf("limits %q, %s", got, o.Stderr)
		}
	}
}

// There is a limit for all files of a link together, including sparse files, and for all memory.
func TestTotals(t *testing.T) {
	small := func(l *Linker) { l.Limits.Disk, l.Limits.Memory = 32<<20, 1<<30 }
	for name, c := range map[string]struct{ script, killed string }{
		"many sparse files": {"for i in 1 2 3 4 5 6 7 8 9; do truncate -s 16M f$i; done", "disk"},
		"many files":        {"i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero >f$i; done", "disk"},
		"temporary files":   {"i=0; while :; do i=$((i+1)); head -c 1000000 /dev/zero >$TMPDIR/f$i; done", "disk"},
		"many processes":    {"for i in 1 2 3 4 5 6; do head -c 300000000 /dev/zero | tail -c 300000000 | { sleep 9; cat; } & done; sleep 9", "memory"},
		"many children":     {"i=0; while [ $i -lt 900 ]; do i=$((i+1)); sleep 9 & done; sleep 9", "processes"},
		"few files":         {"truncate -s 16M f1 && truncate -s 1M f2", ""},
	} {
		o, _ := hostile(t, c.script, small)
		if c.killed == "processes" && strings.Contains(string(o.Stderr), "fork") {
			continue // this system does not allow this many
		}
		total := 0
		for _, data := range o.Files {
			total += len(data)
		}
		if o.Killed != c.killed || total > 33<<20 {
			t.Errorf("%s: killed %q, %d bytes read; %s", name, o.Killed, total, o.Stderr)
		}
	}
}

// The harness does not follow a symbolic link that has replaced a folder.
func TestFolderBecomesLink(t *testing.T) {
	const script = `echo secret >OUT/secret; cd ..; mv work away && ln -s OUT work`
	for _, trusted := range []bool{false, true} {
		o, _ := hostile(t, script, func(l *Linker) { l.Trusted = trusted })
		for name, data := range o.Files {
			if strings.Contains(string(data), "secret") {
				t.Errorf("trusted %v: read %s", trusted, name)
			}
		}
	}
}
