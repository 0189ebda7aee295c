package confine

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// A folder that is removed during the count exceeds no limit. The harness empties the folder of a served link while the
// server is being watched (CONF-064).
func TestFolderIsRemovedMeanwhile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	over, ended := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-over:
				ended <- nil
				return
			default:
			}
			if err := os.MkdirAll(filepath.Join(dir, "work", "temp"), 0o777); err != nil {
				ended <- err
				return
			}
			if err := os.RemoveAll(filepath.Join(dir, "work")); err != nil {
				ended <- err
				return
			}
		}
	}()
	for range 2000 {
		var u usage
		if err := u.folder(unix.AT_FDCWD, dir, 0); err != nil {
			t.Errorf("%v", err)
			break
		}
	}
	close(over)
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A count ends when it has looked at too much, so that other limits are not exceeded meanwhile: open files, mappings, and
// watched files. Threads that share their open files do not prolong it (CONF-064, CONF-830).
func TestLooksOfACount(t *testing.T) {
	watches, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(watches)
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(ends[0])
	defer unix.Close(ends[1])
	for _, fd := range ends {
		if err := unix.EpollCtl(watches, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN}); err != nil {
			t.Fatal(err)
		}
	}
	over := make(chan struct{})
	defer close(over)
	count := func(u *usage) error {
		u.seen, u.mapped = map[inode]bool{}, map[inode]bool{}
		return u.process(os.Getpid(), nil)
	}
	var few usage
	if err := count(&few); err != nil || few.watches < 2 || few.looks < 10 {
		t.Fatalf("%v, %d watches, %d looks", err, few.watches, few.looks)
	}
	for _, u := range []*usage{{looks: mostLooks - few.looks/2}, {looks: mostLooks}, {watches: mostWatches - 1}, {sockets: mostSockets, looks: mostLooks - 1}} {
		if err := count(u); err != errPast {
			t.Errorf("%+v: %v", u, err)
		}
	}
	const many = 100
	for range many {
		ready := make(chan struct{})
		go func() {
			runtime.LockOSThread()
			close(ready)
			<-over
		}()
		<-ready
	}
	if !sharesFiles(os.Getpid(), os.Getpid()) {
		t.Skip("the system does not tell which threads share their files")
	}
	var shared usage
	// Each thread maps some memory.
	if err := count(&shared); err != nil || shared.looks > few.looks+20*many {
		t.Errorf("%v, %d looks, %d before there were threads", err, shared.looks, few.looks)
	}
}

// A line that is too long to be read exceeds the limit, because the lines behind it are not counted. A program can make it with
// a long name (CONF-830).
func TestLongLinesOfACount(t *testing.T) {
	dir := t.TempDir()
	maps := filepath.Join(dir, "maps")
	line := "7f0000000000-7f0000001000 rw-s 00000000 00:01 7 /" + strings.Repeat(`\012`, 20_000) + nameless + "\n"
	if err := os.WriteFile(maps, []byte(line), 0o666); err != nil {
		t.Fatal(err)
	}
	var u usage
	if err := u.mappings(dir, nil); err != errPast {
		t.Errorf("mappings: %v", err)
	}
	if err := u.watchedBy(maps); err != errPast {
		t.Errorf("watched files: %v", err)
	}
}
