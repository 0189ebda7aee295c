package input

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/cubintext"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/limit"
	"github.com/culink/culink/linker/platform"
)

// loadWith loads files with limits, and returns the messages.
func loadWith(t *testing.T, limits string, files ...inputFile) (*Loaded, string) {
	t.Helper()
	t.Chdir(t.TempDir())
	opt := Options{Arch: "sm_90", Platform: platform.Linux.Name, Budget: new(limit.Budget)}
	for _, f := range files {
		if err := os.WriteFile(f.name, f.data, 0o666); err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(f.name, "member") {
			opt.Files = append(opt.Files, f.name)
		}
	}
	for word := range strings.FieldsSeq(limits) {
		if err := opt.Budget.Limits.Set(word); err != nil {
			t.Fatal(err)
		}
	}
	var log diag.Log
	loaded, _ := Load(t.Context(), opt, &log)
	var said strings.Builder
	diag.Print(&said, "nvlink", "", log.Diagnostics)
	return loaded, said.String()
}

// The resources of all inputs of a link are counted together, and each limit can be changed (LIMIT-001).
func TestLimits(t *testing.T) {
	k := load(t, "k.90.cubin")
	packed := craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: k, Compress: "zstd"})
	object := craft.RDC(packed, "_id")
	cubin := []inputFile{{"a.cubin", k}}
	two := []inputFile{{"a.o", object}, {"b.o", object}}
	library := []inputFile{{"a.a", craft.Archive(craft.Member{Name: "m.o/", Data: object}, craft.Member{Name: "n.o/", Data: object})}}
	zeros := []inputFile{{"z.fatbin", craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: make([]byte, 1<<20), Compress: "zstd"})}}
	thin := []inputFile{{"a.a", craft.Thin(craft.Member{Name: "member/"}, craft.Member{Name: "member/"})}, {"member", object}}
	const refused = "nvlink fatal   : Input file '%s' takes more than %d %s; --limit %s=<number> allows more\n"
	for _, c := range []struct {
		name   string
		files  []inputFile
		limits string
		want   string
	}{
		{"bytes of a file", cubin, fmt.Sprintf("read=%d", len(k)), ""},
		{"one too few", cubin, fmt.Sprintf("read=%d", len(k)-1), fmt.Sprintf(refused, "a.cubin", len(k)-1, limit.Read.Row().Help, "read")},
		{"decoded, and what is read", two, "decoded=1", ""}, // decoded, plus the bytes read: 64 times as many
		{"decoded in an archive", library, "decoded=1", ""},
		{"decoded, and too much", zeros, "decoded=1", fmt.Sprintf(refused, "z.fatbin", 1, limit.Decoded.Row().Help, "decoded")},
		{"a thin archive's member again", thin, "shared=1", fmt.Sprintf(refused, "member", 1, limit.Shared.Row().Help, "shared")},
		{"a thin archive's member again, allowed", thin, fmt.Sprintf("shared=%d", len(object)), ""},
		{"no table in one place", cubin, "shared=1", ""},
		{"bytes of a thin archive's member", thin, fmt.Sprintf("read=%d", len(thin[0].data)+len(object)), ""},
		{"one too few of a member", thin, fmt.Sprintf("read=%d", len(thin[0].data)+len(object)-1), fmt.Sprintf(refused, "member", len(thin[0].data)+len(object)-1, limit.Read.Row().Help, "read")},
	} {
		if loaded, said := loadWith(t, c.limits, c.files...); said != c.want || said == "" && len(loaded.Objects) == 0 {
			t.Errorf("%s: %q, want %q", c.name, said, c.want)
		}
	}
}

// The comparison of kernels with names from host code stops at its limit, and reports that.
func TestMatchesLimit(t *testing.T) {
	object := craft.RDC(craft.Fatbin(craft.Entry{Kind: 2, Arch: 90, Payload: load(t, "k.90.cubin")}), "_id",
		craft.Section{Name: ".nvHRKE", Data: []byte("*x\x00*y\x00*z\x00")}, craft.Section{Name: ".nvHRKI", Data: []byte{0}})
	for limits, exceeded := range map[string]bool{"matches=2": true, "matches=100": false} {
		loaded, said := loadWith(t, limits, inputFile{"a.o", object})
		if said != "" {
			t.Fatal(said)
		}
		kept := loaded.KernelFilter(0).Keeps("k", false)
		if (loaded.Exceeded() != nil) != exceeded || kept != exceeded {
			t.Errorf("%s: kept %v, %v", limits, kept, loaded.Exceeded())
		}
	}
}

// A thin archive reads only regular files. A device has no end, and a pipe may have no writer (LOAD-502).
func TestThinArchiveOfDevices(t *testing.T) {
	if _, err := os.Stat("/dev/zero"); err != nil {
		t.Skip("the system has no /dev/zero")
	}
	thin := craft.Thin(craft.Member{Name: "member/"})
	t.Chdir(t.TempDir())
	for _, device := range []string{"/dev/zero", "/dev/full", "/dev/null"} {
		if err := os.WriteFile("a.a", thin, 0o666); err != nil {
			t.Fatal(err)
		}
		os.Remove("member")
		if err := os.Symlink(device, "member"); err != nil {
			t.Fatal(err)
		}
		var log diag.Log
		_, err := Load(t.Context(), Options{Arch: "sm_90", Platform: platform.Linux.Name, Files: []string{"a.a"}}, &log)
		if err == nil || len(log.Diagnostics) == 0 || log.Diagnostics[0].Text() != "Could not open input file 'member'" {
			t.Errorf("%s: %v", device, log.Diagnostics)
		}
	}
}

// The sections of a file for sm_100 and later may have twice the bytes of their file, because both halves
// share their data. They may also have as many more bytes as the limit allows (LIMIT-001).
func TestSharedSections(t *testing.T) {
	parts := "section .debug_x\n\tzero 100000\n" + strings.Repeat("section .debug_x\n\tzero 4\n", 3)
	data, err := cubintext.Parse("shared", "cutext 1\nheader sm=90\nsection .shstrtab\nsection .strtab\nsection .symtab\n\tsymbol k global func .text.k other=entry\n"+
		"section .note.nv.cuinfo\n\tcuinfo\nsection .nv.info\n\tattr REGCOUNT @k 8\n\tattr FRAME_SIZE @k 8\nsection .text.k\n\tzero 16\n"+parts)
	if err != nil {
		t.Fatal(err)
	}
	data = craft.Overlap(data, ".debug_")
	f, err := cubin.Open("shared", data)
	if err != nil {
		t.Fatal(err)
	}
	over := -2 * len(data)
	for _, s := range f.Sections {
		if s.HasBytes() {
			over += int(s.Size)
		}
	}
	if over < 100_000 {
		t.Fatalf("only %d bytes beyond twice the file", over)
	}
	for limits, want := range map[int]string{
		over:     "",
		over - 1: fmt.Sprintf("nvlink fatal   : Input file 'a.cubin' takes more than %d %s; --limit shared=<number> allows more\n", over-1, limit.Shared.Row().Help),
	} {
		if _, said := loadWith(t, fmt.Sprintf("shared=%d", limits), inputFile{"a.cubin", data}); said != want {
			t.Errorf("%d: %q, want %q", limits, said, want)
		}
	}
}

// The total length of names may exceed that of their file by as much as the limit allows (LIMIT-001). The
// name of the last symbol counts too.
func TestSharedNames(t *testing.T) {
	name := strings.Repeat("n", 20_000)
	data, err := cubintext.Parse("names", "cutext 1\nheader sm=90\nsection .shstrtab\nsection .strtab\nsection .symtab\n\tsymbol "+name+"1 local data undef\n"+
		strings.Repeat("\tsymbol "+name+" local data undef\n", 3)+"section .note.nv.cuinfo\n\tcuinfo\n")
	if err != nil {
		t.Fatal(err)
	}
	f, err := cubin.Open("names", data)
	if err != nil {
		t.Fatal(err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	over := -len(data)
	for _, s := range f.Sections {
		over += len(s.Name)
	}
	for _, y := range symbols {
		over += len(y.Name)
	}
	if over < len(name) {
		t.Fatalf("only %d bytes beyond the file", over)
	}
	for limits, want := range map[int]string{
		over:     "",
		over - 1: fmt.Sprintf("nvlink fatal   : Input file 'a.cubin' takes more than %d %s; --limit shared=<number> allows more\n", over-1, limit.Shared.Row().Help),
	} {
		if _, said := loadWith(t, fmt.Sprintf("shared=%d", limits), inputFile{"a.cubin", data}); said != want {
			t.Errorf("%d: %q, want %q", limits, said, want)
		}
	}
}

// A regular file whose reported size is 0, like those of /proc, is read to its end.
func TestFileThatDoesNotSayItsSize(t *testing.T) {
	const name = "/proc/version"
	want, err := os.ReadFile(name)
	if err != nil {
		t.Skip("the system has no " + name)
	}
	var got []byte
	var log diag.Log
	Load(t.Context(), Options{Arch: "sm_90", Files: []string{name}, Opened: func(_ string, data []byte) { got = data }}, &log)
	if string(got) != string(want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLimitOfIntermediateCode checks that intermediate code in fat binaries counts against the same limit for
// decoding (LIMIT-001).
func TestLimitOfIntermediateCode(t *testing.T) {
	t.Chdir(t.TempDir())
	code := craft.Entry{Kind: 8, Arch: 90, Payload: make([]byte, 1<<16), Compress: "zstd"}
	image := craft.Entry{Kind: 0x100, Compress: "zstd", Images: []craft.Entry{{Kind: 8, Arch: 90, Payload: code.Payload}}}
	for _, e := range []craft.Entry{code, image} {
		if err := os.WriteFile("a.fatbin", craft.Fatbin(e), 0o600); err != nil {
			t.Fatal(err)
		}
		opt := Options{Arch: "sm_90", Toolkit: "13.5", Files: []string{"a.fatbin"}, LTO: &LTO{}, Budget: new(limit.Budget)}
		if err := opt.Budget.Limits.Set("decoded=100"); err != nil {
			t.Fatal(err)
		}
		var log diag.Log
		if _, err := Load(t.Context(), opt, &log); err == nil || log.Diagnostics[0].ID != diag.LimitReached {
			t.Errorf("%v, %v", err, log.Diagnostics)
		}
	}
}
