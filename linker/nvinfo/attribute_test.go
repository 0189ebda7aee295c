package nvinfo

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubin"
)

// All 97 codes of nvlink 13.0.88 have a unique name, and a meaning.
func TestAttributesAreComplete(t *testing.T) {
	names := map[string]int{}
	for code, a := range Attributes {
		if a.Name == "" {
			if code <= 0x60 {
				t.Errorf("code %#x has no name", code)
			}
			continue
		}
		if was, ok := names[a.Name]; ok {
			t.Errorf("%s is the name of %#x and %#x", a.Name, was, code)
		}
		names[a.Name] = code
		if a.Meaning == "" {
			t.Errorf("%s has no meaning", a.Name)
		}
		if a.Symbols != NoSymbols && a.Payload == "" {
			t.Errorf("%s has symbols but no payload", a.Name)
		}
		if want := "EIATTR_" + a.Name; Code(code).String() != want {
			t.Errorf("code %#x prints as %s", code, Code(code))
		}
	}
	if got := Code(0xfe).String(); got != "EIATTR 0xfe" {
		t.Errorf("unknown code prints as %s", got)
	}
	if got := CompatName(CompatISAClass); got != "EICOMPAT_ATTR_ISA_CLASS" {
		t.Errorf("ISA class prints as %s", got)
	}
}

// The table agrees with compiler output. Every code in the output is known, has the format and the section of
// the table, and refers to symbols that exist.
func TestAttributesOfCompiledFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.cubin")
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	seen := map[Code]bool{}
	for _, path := range files {
		f := openTestFile(t, filepath.Base(path))
		symbols, err := f.Symbols()
		if err != nil {
			t.Fatal(err)
		}
		for i := range f.Sections {
			s := &f.Sections[i]
			if s.Type != cubin.SectionInfo && s.Type != cubin.SectionMercInfo {
				continue
			}
			scope := Function
			if s.Name == ".nv.info" || s.Name == ".nv.merc.nv.info" {
				scope = Global
			}
			for _, r := range recordsOf(t, f, s.Name) {
				seen[r.Code] = true
				if int(r.Code) >= len(Attributes) || Attributes[r.Code].Name == "" {
					t.Errorf("%s: %s: unknown code %#x", path, s.Name, uint8(r.Code))
					continue
				}
				a := Attributes[r.Code]
				if a.Format != r.Format || a.Scope != scope && a.Scope != Both {
					t.Errorf("%s: %s: %v has %v, the table says %v in %v", path, s.Name, r.Code, r.Format, a.Format, a.Scope)
				}
				r.MapSymbols(func(i uint32) uint32 {
					if s.Type == cubin.SectionInfo && (i == 0 || int(i) >= len(symbols)) {
						t.Errorf("%s: %s: %v names symbol %d", path, s.Name, r.Code, i)
					}
					return i
				})
			}
		}
	}
	// These codes were seen in objects of toolkit 13.0. Codes that occur only in large programs (31, 40, 44,
	// 55) or with tensor memory (41, 4f, 51, 52) are omitted.
	for _, code := range strings.Fields("04 05 09 0a 0f 10 11 13 15 16 17 19 1b 1c 1e 23 28 29 2b 2e 2f 34 35 36 37 38 39 3d 3e 3f 45 4a 4c 4d 50 53 57 5a 5b 5f") {
		var c Code
		for _, digit := range code {
			c = c<<4 | Code(strings.IndexRune("0123456789abcdef", digit))
		}
		if !seen[c] {
			t.Errorf("%v stands in no file of testdata", c)
		}
	}
}

// The .nv.compat codes in compiled files are in the table.
func TestCompatsOfCompiledFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/*.cubin")
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for _, path := range files {
		for _, r := range recordsOf(t, openTestFile(t, filepath.Base(path)), ".nv.compat") {
			records++
			if int(r.Code) >= len(Compats) || Compats[r.Code].Format != r.Format {
				t.Errorf("%s: %s has %v", path, CompatName(r.Code), r.Format)
			}
		}
	}
	if records == 0 {
		t.Error("no records in testdata")
	}
}
