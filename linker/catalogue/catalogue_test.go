package catalogue

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
)

var update = flag.Bool("update", false, "write docs/sections.md anew")

func TestLookup(t *testing.T) {
	tests := []struct{ name, pattern, part string }{
		{".text.k", ".text.<f>", "k"},
		{".text.a.b", ".text.<f>", "a.b"},
		{".nv.info", ".nv.info", ""},
		{".nv.info.k", ".nv.info.<f>", "k"},
		{".nv.constant0.k", ".nv.constant0.<f>", "k"},
		{".nv.constant2.k", ".nv.constant<n>.<f>", "k"},
		{".nv.constant17", ".nv.constant<n>", "17"},
		{".rela.nv.constant3", ".rela.<s>", "nv.constant3"},
		{".nv.shared.reserved.0", ".nv.shared.reserved.<n>", "0"},
		{".nv.shared.reserved.x", ".nv.shared.<f>", "reserved.x"},
		{".debug_info", ".debug_<x>", "info"},
		{".nv_debug_ptx_txt.12", ".nv_debug_ptx_txt.<n>", "12"},
		{".text.", "", ""},
		{".nv.constantx", "", ""},
		{".nv.unheard", "", ""},
		{"text", "", ""},
	}
	for _, test := range tests {
		k, part := Lookup(test.name)
		pattern := ""
		if k != nil {
			pattern = k.Pattern
		}
		if pattern != test.pattern || part != test.part {
			t.Errorf("%s: %q with %q, want %q with %q", test.name, pattern, part, test.pattern, test.part)
		}
	}
}

// The catalogue has every section in the corpus, both of compiled inputs and of nvlink's outputs, and the
// groups are in order (EMIT-001).
func TestCorpusIsInTheCatalogue(t *testing.T) {
	seen := map[string]bool{}
	files := 0
	for _, root := range []fs.FS{corpus.Files, os.DirFS("../nvinfo/testdata")} {
		err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || path.Ext(name) != ".cubin" || strings.Contains("/"+name, "/damaged") || strangeSections[caseFolder(name)] || isWritten(name) && path.Base(path.Dir(name)) == "in" {
				return err
			}
			data, err := fs.ReadFile(root, name)
			if err != nil {
				return err
			}
			f, err := cubin.Open(name, data)
			if err != nil || f.ABIVersion <= cubin.ABIVersionLegacy {
				return nil // a case of damage, or of the old format
			}
			files++
			for _, s := range f.Sections {
				if k, _ := Lookup(s.Name); k != nil && !isWritten(name) {
					seen[k.Pattern] = true
				}
			}
			for _, err := range check(f) {
				t.Error(err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if files < 100 {
		t.Errorf("%d files only", files)
	}
	for _, k := range Kinds {
		if k.Maker == Unseen && seen[k.Pattern] {
			t.Errorf("%s is seen after all", k.Pattern)
		}
	}
}

// isWritten reports whether the inputs of a case were written as text. Such inputs may differ in any way from a
// compiler's output.
func isWritten(name string) bool {
	text, err := corpus.Files.ReadFile(caseFolder(name) + "/case.txt")
	return err == nil && (strings.Contains(string(text), " build ") || strings.Contains(string(text), " scenario "))
}

// caseFolder returns the folder of the case to which a file of the corpus belongs: <area>/<case>.
func caseFolder(name string) string {
	parts := strings.SplitN(name, "/", 3)
	return strings.Join(parts[:min(2, len(parts))], "/")
}

// strangeSections lists the cases whose inputs have sections that no compiler makes, or that the compiler of
// 13.0 does not make. nvlink copies these sections. If several local kernels have the same name, nvlink cuts
// off the names of their sections (EMIT-481). It also cuts off the name of a kernel whose bank has two sections of
// relocations (E-840).
var strangeSections = map[string]bool{
	"mercury/kernels-of-one-name":         true,
	"mercury/data-of-capsule-type":        true,
	"mercury/mercury-machine-code-beside": true,
	"mercury/mercury-reserved-values":     true,
	"merge/banks-of-other-names":          true,
	"merge/objects-of-three-releases":     true,
	"merge/sections-of-plain-types":       true,
	"merge/section-types":                 true,
	"texture/whole-program-replaced":      true,
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	data, err := os.ReadFile("../nvinfo/testdata/plain.90.cubin")
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		damage func(*cubin.File)
		want   string
	}{
		{"nothing", func(*cubin.File) {}, ""},
		{"unknown", func(f *cubin.File) { f.Section(".nv.prototype").Name = ".nv.unheard" }, "is not in the catalogue"},
		{"type", func(f *cubin.File) { f.Section(".nv.info").Type = 1 }, "has not type 0x70000000"},
		{"flags", func(f *cubin.File) { f.Section(".nv.global.init").Flags = 2 }, "has not flags 0x3"},
		{"entry size", func(f *cubin.File) { f.Section(".symtab").EntSize = 16 }, "has not entry size 24"},
		{"alignment", func(f *cubin.File) { f.Section(".nv.info").AddrAlign = 8 }, "has not alignment 4"},
		{"link", func(f *cubin.File) { f.Section(".nv.info").Link = 1 }, `sh_link is not ".symtab"`},
		{"info", func(f *cubin.File) { f.Section(".nv.info._Z1kPi").Info = 999 }, `sh_info is not ".text._Z1kPi"`},
		{"target", func(f *cubin.File) { f.Section(".rela.debug_frame").Info = 1 }, "sh_info is not the section .debug_frame"},
	}
	for _, test := range tests {
		f, err := cubin.Open("plain", data)
		if err != nil {
			t.Fatal(err)
		}
		test.damage(f)
		errs := check(f)
		switch {
		case test.want == "" && len(errs) > 0, test.want != "" && (len(errs) == 0 || !strings.Contains(errs[0].Error(), test.want)):
			t.Errorf("%s: %v, want %q", test.name, errs, test.want)
		}
	}
}

const docsPath = "../../docs/sections.md"

// docs/sections.md agrees with the table.
func TestDocsAreCurrent(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Sections

Made from the table of ` + "`linker/catalogue`" + `; do not edit. Write it anew with ` + "`go test ./linker/catalogue -run Docs -update`" + `.

` + "`<f>`" + ` is a function, ` + "`<s>`" + ` the name of another section, ` + "`<n>`" + ` a number. Types are those of objects and, where they
differ, of executables. Alignments in brackets depend on the contents; a [text](cubintext.md) that says none means this
one. Groups are the parts of the section table of an executable, in this order: null, names, strings, symbols, debug,
metadata, relocations, constants, code, data, no bits.

| name | type | flags | align | entry | link | info | group | maker | linker |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
`)
	for _, k := range Kinds[1:] {
		typ := fmt.Sprintf("%#x", uint32(k.Object))
		switch {
		case k.Object == cubin.SectionNull:
			typ = fmt.Sprintf("-, %#x", uint32(k.Linked))
		case k.Object == bank0 && strings.Contains(k.Pattern, "<n>"):
			typ += fmt.Sprintf("+n, %#x", uint32(k.Linked))
		case k.Object != k.Linked:
			typ += fmt.Sprintf(", %#x", uint32(k.Linked))
		}
		align := fmt.Sprint(k.Align)
		if k.Varies {
			align = "(" + align + ")"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %#x | %s | %s | %s | %s | %v | %v | %s |\n", k.Pattern, typ, k.Flags,
			align, orNothing(k.EntSize), quoted(k.Link), quoted(k.Info), k.Group, k.Maker, k.Linker)
	}
	want := b.String()
	if *update {
		if err := os.WriteFile(docsPath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docsPath)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not current: go test ./linker/catalogue -run Docs -update", docsPath)
	}
}

func orNothing(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func quoted(r Reference) string {
	if r == NoReference {
		return ""
	}
	return "`" + r.String() + "`"
}
