package testscripts

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/culink/culink/conformance/tools/toolstest"
)

// example matches the examples in the specification (docs/elf). They are scripts in txtar blocks.
var example = regexp.MustCompile("(?ms)^```txtar\n(.*?)^```$")

// Each page of docs/elf has an example, and culink has the results that the example states.
func TestSpecification(t *testing.T) {
	testscript.Run(t, examples(t, params(buildLinker(t), false)))
}

// nvlink has the results that the examples state. With -update, the test writes the results into the pages.
func TestLiveSpecification(t *testing.T) {
	p := examples(t, params(toolstest.NVLink(t), true))
	p.UpdateScripts = *update
	t.Run("links", func(t *testing.T) { testscript.Run(t, p) })
	if *update {
		writeExamples(t, p.Dir)
	}
}

// pages returns the chapters of the specification.
func pages(t *testing.T) []string {
	names, err := filepath.Glob("../docs/elf/*.md")
	if err != nil || len(names) < 10 {
		t.Fatalf("%d pages, %v", len(names), err)
	}
	return names
}

// scriptOf returns the name of the script for example i of a page.
func scriptOf(page string, i int) string {
	return strings.TrimSuffix(filepath.Base(page), ".md") + "-" + strconv.Itoa(i+1) + ".txtar"
}

// examples creates a folder with a script for each example.
func examples(t *testing.T, p testscript.Params) testscript.Params {
	p.Dir = t.TempDir()
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		found := example.FindAllSubmatch(text, -1)
		if len(found) == 0 && filepath.Base(page) != "index.md" {
			t.Errorf("%s has no example", page)
		}
		for i, m := range found {
			if err := os.WriteFile(filepath.Join(p.Dir, scriptOf(page, i)), m[1], 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p
}

// writeExamples writes the scripts of a folder back into the pages.
func writeExamples(t *testing.T, dir string) {
	for _, page := range pages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		i := 0
		text = example.ReplaceAllFunc(text, func([]byte) []byte {
			script, err := os.ReadFile(filepath.Join(dir, scriptOf(page, i)))
			if err != nil {
				t.Fatal(err)
			}
			i++
			return []byte("```txtar\n" + string(script) + "```")
		})
		if err := os.WriteFile(page, text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
