package sound_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/sound"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
)

// Links by 12.8 and 12.9 for targets with Mercury code are sound. With the features of 13.0 they would not be (KIT-160
// to KIT-166).
func TestLinksOf12(t *testing.T) {
	const folder = "../../cmd/culink/command/testdata/toolkits"
	for _, tt := range []struct{ toolkit, made, target string }{
		{"12.8", "12.8", "sm_100"}, {"12.9", "12.8", "sm_100"}, {"12.8", "12.8", "sm_101"}, {"12.9", "12.9", "sm_100a"}, {"12.9", "12.9", "sm_120"},
	} {
		files := map[string][]byte{}
		var inputs []linker.Input
		for _, name := range []string{"a.cubin", "b.cubin"} {
			data, err := os.ReadFile(filepath.Join(folder, tt.made, "images/of-two", tt.target, "in", name))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = data
			inputs = append(inputs, linker.Input{Name: name, Data: data})
		}
		kit, err := arch.Find(tt.toolkit)
		if err != nil {
			t.Fatal(err)
		}
		argv := []string{"--toolkit=" + tt.toolkit, "-arch=" + tt.target, "a.cubin", "b.cubin", "-o", "out.cubin"}
		link, _, err := sound.FromCommand(context.Background(), files, argv)
		if err != nil {
			t.Fatal(err)
		}
		out := linker.Link(context.Background(), linker.Options{Toolkit: kit.Version, Arch: tt.target}, inputs).Output
		if findings := sound.Check(*link, out); len(findings) > 0 {
			t.Errorf("%+v: %v", tt, findings)
		}
		f, err := cubin.Open("out.cubin", out)
		if err != nil {
			t.Fatal(err)
		}
		for what, spoil := range map[string]func(b []byte){
			"header.flags":        func(b []byte) { b[48] ^= cubin.FlagSpecific },
			"note.cuinfo":         func(b []byte) { b[f.Section(".note.nv.cuver").Offset+24] = 2 },
			"section.symtab.info": func(b []byte) { b[f.ShOff+uint64(f.Section(".symtab").Index)*cubin.SectionHeaderSize+44]++ },
		} {
			spoiled := append([]byte(nil), out...)
			spoil(spoiled)
			found := false
			for _, finding := range sound.Check(*link, spoiled) {
				found = found || strings.HasPrefix(finding.Key, what)
			}
			if !found {
				t.Errorf("%+v: %s is not found", tt, what)
			}
		}
	}
}

// A link by 11.2 has no call graph. Its segments and its symbol count are those of early files (KIT-211, KIT-213,
// KIT-214).
func TestLinkOf11(t *testing.T) {
	const name = "k.cubin"
	data, err := os.ReadFile("../../cmd/culink/command/testdata/toolkits/11.2/texture/queries/sm_80/in/" + name)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{name: data}
	link, _, err := sound.FromCommand(context.Background(), files, []string{"--toolkit=11.2", "-arch=sm_80", name, "-o", "out.cubin"})
	if err != nil {
		t.Fatal(err)
	}
	out := linker.Link(context.Background(), linker.Options{Toolkit: "11.2", Arch: "sm_80"}, []linker.Input{{Name: name, Data: data}}).Output
	for _, finding := range sound.Check(*link, out) {
		t.Errorf("%+v", finding)
	}
	f, err := cubin.Open("out.cubin", out)
	if err != nil {
		t.Fatal(err)
	}
	spoiled := append([]byte(nil), out...)
	spoiled[f.ShOff+uint64(f.Section(".symtab").Index)*cubin.SectionHeaderSize+44]++
	if len(sound.Check(*link, spoiled)) == 0 {
		t.Error("a count of symbols with the null symbol passes")
	}
}
