package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// Every row of the table has a name of its own, a way to get the compiler, and sources that exist; every source is used.
func TestTable(t *testing.T) {
	known := []string{"{at}", "{oracle}", "{sources}", "{source}", "{folder}", "{target}", "{options}", "{name}", "{made}"}
	used, names := map[string]bool{"device.h": true}, map[string]bool{}
	for _, c := range table {
		if names[c.name] {
			t.Errorf("two rows are %s", c.name)
		}
		names[c.name] = true
		if c.ofSystem() && len(c.needs) == 0 {
			t.Errorf("%s: nothing says where it comes from", c.name)
		}
		if len(c.targets) == 0 || len(c.units) == 0 {
			t.Errorf("%s makes nothing", c.name)
		}
		for _, word := range regexp.MustCompile(`\{\w+\}`).FindAllString(c.command, -1) {
			if !slices.Contains(known, word) {
				t.Errorf("%s: unknown %s", c.name, word)
			}
		}
		for _, unit := range c.units {
			used[unit] = true
		}
		for _, m := range regexp.MustCompile(`\{sources\}/([\w.]+)`).FindAllStringSubmatch(c.command, -1) {
			used[m[1]] = true
		}
	}
	for script, source := range map[string]string{"llvm_units.py": "unit.ll"} {
		used[source] = used[source] || used[script]
	}
	delete(used, once[0])
	files, err := fs.Glob(sources, "sources/*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimPrefix(file, "sources/")
		if !used[name] {
			t.Errorf("no row uses %s", file)
		}
		delete(used, name)
	}
	for name := range used {
		t.Errorf("no source %s", name)
	}
}

// A compiler that lacks a library, and one of the system that refuses all units, are not installed. Another that makes no
// unit is refused.
func TestNotInstalled(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the compilers are programs of a Unix shell")
	}
	for _, tt := range []struct {
		name, command, wheels string
		missing               bool
		units                 int
	}{
		{"no library", "sh -c exit${IFS}127", "some==1", true, 0},
		{"too old", "false", "", true, 0},
		{"broken", "false", "some==1", false, 0},
		{"good", "touch {made}.ptx", "", false, 2},
	} {
		b := &builder{folder: t.TempDir(), cache: t.TempDir()}
		if tt.wheels != "" { // as if they were installed
			at := filepath.Join(b.cache, "some-1")
			if err := os.Mkdir(at, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(at, "installed"), []byte(tt.wheels), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		c := compiler{name: "c", wheels: tt.wheels, units: []string{"x.cu"}, targets: []string{"80", "90"}, command: tt.command}
		units, refused, err := b.compile(c)
		var missing notInstalled
		if errors.As(err, &missing) != tt.missing || units != tt.units || tt.name == "broken" && len(refused) != 2 {
			t.Errorf("%s: %d units, refused %q, %v", tt.name, units, refused, err)
		}
	}
}
