package mappage

import (
	"bytes"
	"errors"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/browser"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/memorymap"
)

// inputs returns the inputs of a case of the corpus.
func inputs(t *testing.T, dir string) (list []linker.Input) {
	t.Helper()
	entries, err := corpus.Files.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		data, err := corpus.Files.ReadFile(dir + "/" + e.Name())
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, linker.Input{Name: e.Name(), Data: data})
	}
	return list
}

// pageOf returns the page of a link.
func pageOf(t *testing.T, inputs []linker.Input) []byte {
	t.Helper()
	r := linker.Link(t.Context(), linker.Options{ToolName: "nvlink", Arch: "sm_80", Map: true}, inputs)
	var b bytes.Buffer
	if err := Write(&b, r.Map); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The page loads nothing from elsewhere, and a browser draws every picture.
func TestPage(t *testing.T) {
	page := pageOf(t, inputs(t, "shared/shared-of-two-kernels/sm_80/in"))
	text := strings.ReplaceAll(string(page), "http://www.w3.org/2000/svg", "") // a name, not an address
	if outside := regexp.MustCompile(`(?i)https?://|<link|<img|@import|url\(|src=`).FindAllString(text, -1); outside != nil {
		t.Errorf("the page names %q", outside)
	}
	dom := browser.DOM(t, page, "")
	for _, want := range []string{`class="tree"`, `<i class="common"`, "of 255", "most registers", `id="sections"`} {
		if !strings.Contains(dom, want) {
			t.Errorf("no %q in\n%s", want, dom[strings.Index(dom, "<main>"):])
		}
	}
	if strings.Contains(dom, "link failed") {
		t.Error("a link that succeeds has a page that says it failed")
	}
}

// The page shows variables with one address in several kernels, variables that share an address, and variables that
// could share one.
func TestSharing(t *testing.T) {
	dom := browser.DOM(t, pageOf(t, inputs(t, "shared/disjoint-kernels/sm_80/in")), "")
	_, table, _ := strings.Cut(dom, `class="sharing"`)
	table, _, _ = strings.Cut(table, "</table>")
	for _, want := range []string{
		`>j4</td><td>shared</td><td>0</td><td>28</td><td class="mono">_Z2k3Pi, _Z2k2Pi</td><td class="mono">d8</td><td class="mono">i4, s2</td>`,
	} {
		if !strings.Contains(table, want) {
			t.Errorf("no %q in\n%s", want, table)
		}
	}
}

// No name on the page affects the layout of the text around it (DIAG-503).
func TestForgedNames(t *testing.T) {
	const forged = "a\u202e\x1b[2J"
	m := &memorymap.Map{Output: forged, Failed: forged, Functions: []memorymap.Function{{Name: forged}}}
	var b bytes.Buffer
	if err := Write(&b, m); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e") || strings.Contains(b.String(), `\u001b`) || strings.Count(b.String(), `\x1b[2J`) != 6 {
		t.Errorf("the page holds a name as it is, %d times as people can see it", strings.Count(b.String(), `\x1b[2J`))
	}
}

// The page of a failed link shows the reason, and draws the parts that are known.
func TestFailedPage(t *testing.T) {
	all := inputs(t, "basic/two-files/sm_80/in")
	for _, list := range [][]linker.Input{all[1:], append(all, all...)} { // undefined, defined twice
		dom := browser.DOM(t, pageOf(t, list), "")
		for _, want := range []string{`id="failed"`, "The link failed</h2>", "<li>error: ", `class="tree"`} {
			if !strings.Contains(dom, want) {
				t.Errorf("no %q in\n%s", want, dom[strings.Index(dom, "<main>"):])
			}
		}
	}
}

// The page of a failed link starts with all its errors, and the text contains them too. A map of an earlier version has
// only one error.
func TestAllErrors(t *testing.T) {
	all := inputs(t, "basic/two-files/sm_80/in")
	r := linker.Link(t.Context(), linker.Options{ToolName: "nvlink", Arch: "sm_80", Map: true}, append(all, all...))
	if len(r.Map.Errors) < 2 || r.Map.Errors[0] != r.Map.Failed {
		t.Fatalf("%q, %q", r.Map.Failed, r.Map.Errors)
	}
	var page, text bytes.Buffer
	if err := errors.Join(Write(&page, r.Map), r.Map.WriteText(&text, false)); err != nil {
		t.Fatal(err)
	}
	for _, e := range r.Map.Errors {
		if !strings.Contains(page.String(), "<li>"+html.EscapeString(e)+"</li>") || !strings.Contains(text.String(), e) {
			t.Errorf("no %q", e)
		}
	}
	if !strings.HasPrefix(text.String(), "memory map of sm_80, in bytes\nTHE LINK FAILED: ") {
		t.Errorf("%.80q", text.String())
	}
	page.Reset()
	if err := Write(&page, &memorymap.Map{Failed: "why"}); err != nil || !strings.Contains(page.String(), "<li>why</li>") {
		t.Error(err)
	}
}

// A number of bytes beside a number of kilobytes has its own unit, because "64 of 64 K" would look full.
func TestUnitOfBanks(t *testing.T) {
	if strings.Contains(source, `bytes(s.size) + " of 64 K"`) || !strings.Contains(source, `amount(s.size) + " of 64 K"`) {
		t.Error("the size of a bank has no unit")
	}
	dom := browser.DOM(t, pageOf(t, inputs(t, "relocatable/constant-too-much/sm_80/in")), "")
	if regexp.MustCompile(`>[0-9,]+ of 64 K<`).MatchString(dom) {
		t.Error("a bank of bytes without a unit")
	}
}
