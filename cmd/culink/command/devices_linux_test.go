package command

import (
	"bytes"
	"io"
	"math"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// A file that is read as a whole has the size that a seek to its end tells (LOAD-935). The messages are nvlink's, but for the
// sparse file (LIMIT-001).
func TestFilesOfOddSizes(t *testing.T) {
	k := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k.cubin", k)
	write(t, "empty", nil)
	write(t, "sparse", nil)
	if err := os.Truncate("sparse", 1<<40); err != nil {
		t.Skip(err) // this file system has no file of that size
	}
	if err := syscall.Mkfifo("pipe", 0o666); err != nil {
		t.Fatal(err)
	}
	const sparse = "nvlink fatal   : Input file 'FILE' takes more than 17179869184 bytes of the input files; --limit read=<number> allows more\n"
	const unallocated = "nvlink fatal   : Memory allocation failure\n"
	const unread = "nvlink fatal   : Could not read file 'FILE'\n"
	const skipped = "nvlink warning : Skipping incompatible 'FILE' when searching for -lq\n"
	folder := unread // what its file system tells
	if end := endOf(t, "."); end == 0 {
		t.Skip("folders have the size 0 here")
	} else if end == math.MaxInt64 { // ext4
		folder = unallocated
	}
	for _, c := range []struct{ file, library, side string }{
		{".", folder, folder},
		{"/dev/zero", skipped, unread},
		{"/dev/null", skipped, unread},
		{"/proc", skipped, unread},
		{"/proc/version", skipped, unread},
		{"empty", skipped, unread},
		{"pipe", unread, unread},
		{"/dev/pts", unread, unread},
		{"sparse", sparse, sparse},
	} {
		if _, err := os.Stat(c.file); err != nil {
			t.Logf("no %s", c.file)
			continue
		}
		os.Remove("libq.a")
		if err := os.Symlink(c.file, "libq.a"); err != nil {
			t.Fatal(err)
		}
		for words, want := range map[[2]string]string{{"-L.", "-lq"}: c.library, {"-nv-host", c.file}: c.side, {"-uidx", c.file}: c.side} {
			name := c.file
			if words[1] == "-lq" {
				name = "./libq.a"
			}
			want = string(bytes.ReplaceAll([]byte(want), []byte("FILE"), []byte(name)))
			var stdout, stderr bytes.Buffer
			run(t.Context(), []string{"nvlink", "-arch=sm_90", "k.cubin", words[0], words[1], "-o", "out"}, &stdout, &stderr)
			if stderr.String() != want {
				t.Errorf("%v of %s: %q, want %q", words, c.file, stderr.String(), want)
			}
		}
	}
}

// endOf returns the offset of the end of a folder, or -1 if it cannot be sought.
func endOf(t *testing.T, name string) int64 {
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	end, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return -1
	}
	return end
}

// Of a device without an end, no more is read than a file needs to be recognised (LOAD-935).
func TestEndlessInputs(t *testing.T) {
	k := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	write(t, "k.cubin", k)
	for name, want := range map[string]string{
		"x.o": "", "x.a": "", "x.so": "", "x": "",
		"x.cubin":  "nvlink fatal   : cubin not an elf?\n",
		"x.fatbin": "nvlink fatal   : fatbin wrong format?\n",
		"x.ptx":    "nvlink error   : Binary format for key='0', ident='' is not recognized\nnvlink fatal   : elfLink fatbinary error\n",
	} {
		if err := os.Symlink("/dev/zero", name); err != nil {
			t.Fatal(err)
		}
		var stdout, stderr bytes.Buffer
		run(t.Context(), []string{"nvlink", "-arch=sm_90", "--limit", "read=1M", "k.cubin", name, "-o", "out"}, &stdout, &stderr)
		if stderr.String() != want {
			t.Errorf("%s: %q, want %q", name, stderr.String(), want)
		}
	}
}

// A pipe is opened once, also if nothing is linked from it (E-935).
func TestPipesAsInputs(t *testing.T) {
	k := testCubin(t, "k1.cubin")
	t.Chdir(t.TempDir())
	for name, content := range map[string]string{"x.cubin": string(k), "x.o": string(k), "x": string(k), "empty.cubin": "", "y.o": "no object, and long enough to be read as a file of 56 bytes or more"} {
		write(t, "content", []byte(content))
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Fatal(err)
		}
		writer := exec.Command("sh", "-c", "cat content > "+name)
		if err := writer.Start(); err != nil {
			t.Fatal(err)
		}
		linked := make(chan int)
		go func() {
			var stdout, stderr bytes.Buffer
			linked <- run(t.Context(), []string{"nvlink", "-arch=sm_90", name, "-o", "out"}, &stdout, &stderr)
		}()
		select {
		case exit := <-linked:
			if exit != 0 {
				t.Errorf("%s: status %d", name, exit)
			}
		case <-time.After(30 * time.Second):
			t.Errorf("%s: opened again, without a writer", name)
		}
		writer.Process.Kill()
		writer.Wait()
	}
}
