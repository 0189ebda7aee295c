package main

import (
	"io/fs"
	"regexp"
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
		if c.release+c.wheels+c.debs == "" && len(c.needs) == 0 {
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
