package input

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/parallel"
)

// large creates a file that is large enough and old enough to be mapped.
func large(t *testing.T) (name string, info os.FileInfo) {
	t.Helper()
	name = filepath.Join(t.TempDir(), "large")
	if err := os.WriteFile(name, bytes.Repeat([]byte("x"), 4*mapFrom), 0o666); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(-time.Hour)
	if err := os.Chtimes(name, before, before); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return name, info
}

// TestMapped checks that large files are mapped if the system supports it, and that others are copied
// (LOAD-505).
func TestMapped(t *testing.T) {
	name, info := large(t)
	for _, tt := range []struct {
		what   string
		reader reader
		mapped bool
	}{
		{"a large file", reader{}, true},
		{"that is packed", reader{copies: true}, false},
		{"that is an output too", reader{outputs: []os.FileInfo{info}}, false},
	} {
		c, err := tt.reader.read(name, info)
		if err != nil || len(c.data) != 4*mapFrom || c.data[0] != 'x' || c.mapped != (tt.mapped && runtime.GOOS == "linux") {
			t.Errorf("%s: %v, %d bytes, mapped %v", tt.what, err, len(c.data), c.mapped)
		}
	}
	later := time.Now().Add(time.Hour) // later than any delay of a slow machine
	os.Chtimes(name, later, later)
	info, _ = os.Stat(name)
	if c, err := new(reader).read(name, info); err != nil || c.mapped {
		t.Errorf("a file that has just changed: %v, mapped %v", err, c.mapped)
	}
	os.Truncate(name, 100)
	if _, err := new(reader).read(name, info); !errors.Is(err, errChanged) {
		t.Errorf("a file that was cut: %v", err)
	}
}

// TestYoungIsCopied checks that a small file that has just changed is copied at once, not mapped after a delay (LOAD-505).
func TestYoungIsCopied(t *testing.T) {
	name, _ := large(t)
	for range 20 {
		now := time.Now()
		os.Chtimes(name, now, now)
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if c, err := new(reader).read(name, info); err == nil && !c.mapped {
			return // a slow machine may take longer than the file must be old
		}
	}
	t.Error("the file was mapped each time")
}

// TestGuard checks that a mapped file that is truncated or rewritten during the link is an error, in every
// goroutine. A file that is replaced or removed is not (LOAD-505).
func TestGuard(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("nothing is mapped")
	}
	for _, tt := range []struct {
		what    string
		disturb func(name string)
		changed bool
	}{
		{"left alone", func(string) {}, false},
		{"cut", func(name string) { os.Truncate(name, 0) }, true},
		{"rewritten", func(name string) { os.WriteFile(name, bytes.Repeat([]byte("y"), 4*mapFrom), 0o666) }, true},
		{"replaced", func(name string) { os.WriteFile(name+"2", nil, 0o666); os.Rename(name+"2", name) }, false},
		{"removed", func(name string) { os.Remove(name) }, false},
	} {
		name, info := large(t)
		c, err := new(reader).read(name, info)
		if err != nil {
			t.Fatal(err)
		}
		l := &Loaded{mapped: []mappedFile{{"in", name, info, c.data}}}
		err = l.Guard(func() {
			tt.disturb(name)
			parallel.Do(4, 4, func(i int) { bytes.Count(c.data[i*mapFrom:][:mapFrom], []byte("z")) })
		})
		var changed *ChangedError
		if errors.As(err, &changed) != tt.changed || tt.changed && changed.Name != "in" {
			t.Errorf("%s: %v", tt.what, err)
		}
	}
}

// TestGuardPanics checks that Guard passes on a panic that no changed file explains.
func TestGuardPanics(t *testing.T) {
	defer func() {
		if recover() != "mine" {
			t.Error("no panic")
		}
	}()
	new(Loaded).Guard(func() { panic("mine") })
}

// TestPages checks that unmapped contents are available when they are read again, and that copied contents
// cannot be unmapped.
func TestPages(t *testing.T) {
	name, info := large(t)
	for _, r := range []reader{{}, {copies: true}} {
		c, err := r.read(name, info)
		if err != nil {
			t.Fatal(err)
		}
		l := &Loaded{Objects: []Object{{Data: []byte("compressed")}, {Data: c.data}, {Data: c.data[:mapFrom]}, {Data: c.data[1+mapFrom:][:2*mapFrom]}}}
		if c.mapped {
			l.mapped = []mappedFile{{name, name, info, c.data}}
		}
		for i, p := range l.Pages() {
			if (p != nil) != (c.mapped && i > 0) {
				t.Errorf("mapped %v, object %d has pages: %v", c.mapped, i, p != nil)
			}
			if p == nil {
				continue
			}
			for range 2 {
				p.Idle()
				p.Done()
			}
			if bytes.Count(c.data, []byte("x")) != len(c.data) {
				t.Error("other bytes")
			}
			if want := 3 * mapFrom; i == 3 && p.in.done != want {
				t.Errorf("%d bytes of the file are unmapped, want %d", p.in.done, want)
			}
		}
	}
}

// TestRooms checks that the memory that small files share is released with the last of them.
func TestRooms(t *testing.T) {
	var r reader
	l := &Loaded{}
	for i := range 3 {
		name := filepath.Join(t.TempDir(), "in")
		os.WriteFile(name, bytes.Repeat([]byte("x"), roomSize/4), 0o666)
		info, _ := os.Stat(name)
		c, err := r.read(name, info)
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			l.rooms = []*room{c.in}
		} else if c.in != l.rooms[0] {
			t.Error("small files do not share memory")
		}
		l.Objects = append(l.Objects, Object{Data: c.data})
	}
	for i, p := range l.Pages() {
		if !p.Lost() {
			t.Error("the bytes of a small file come back")
		}
		if bytes.Count(l.rooms[0].data, []byte("x")) != 3*roomSize/4 {
			t.Errorf("bytes are lost after %d of 3 files", i)
		}
		p.Idle()
		p.Done()
	}
	if gone := bytes.Count(l.rooms[0].data, []byte("x")) == 0; gone != (runtime.GOOS == "linux") {
		t.Errorf("the bytes are gone: %v", gone)
	}
}

// TestReadAhead checks that files are loaded in order and under their names, whatever they contain. The first
// bad file ends the load.
func TestReadAhead(t *testing.T) {
	dir := t.TempDir()
	var names []string
	for i := range 3 * filesAhead {
		name := filepath.Join(dir, string(rune('a'+i%26))+string(rune('a'+i/26))+".cubin")
		os.WriteFile(name, nil, 0o666) // an empty file is skipped
		names = append(names, name)
	}
	load := func(files ...string) (opened []string, said []diag.Diagnostic) {
		var log diag.Log
		Load(context.Background(), Options{Arch: "sm_90", Files: files, Opened: func(name string, _ []byte) { opened = append(opened, name) }}, &log)
		return opened, log.Diagnostics
	}
	opened, said := load(names...)
	if len(opened) != len(names) || len(said) != 0 {
		t.Errorf("%d of %d files, said %v", len(opened), len(names), said)
	}
	missing := append(append(names[:10:10], filepath.Join(dir, "none.cubin")), names[10:]...)
	opened, said = load(missing...)
	if len(opened) != 10 || len(said) != 1 || said[0].ID != diag.CannotOpenInput {
		t.Errorf("%d files before the missing one, said %v", len(opened), said)
	}
}
