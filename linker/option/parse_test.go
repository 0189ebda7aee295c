package option

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/platform"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// On Windows a backslash is an ordinary character, and a quote after it does not end the quoted text
// (WIN-022).
func TestWindowsWords(t *testing.T) {
	for text, want := range map[string][]string{
		`d\b "x y" c`:      {`d\b`, "x y", "c"},
		`"dir\" b"`:        {`dir\" b`},
		`"d\\\" b"`:        {`d\\\" b`},
		`x" "y ""`:         {"x y"},
		"a\r\nb\x1a c":     {"a", "b"},
		"a\x00b":           {"a"},
		`b\`:               {`b\`},
		`" a "" " a\"b c"`: {"a", `a\b c`},
		`'a' #b`:           {"'a'", "#b"},
	} {
		if got, err := splitWords(platform.Windows, false, []byte(text)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
		moved := MapResponseFile(platform.Windows, []byte(text), func(s string) string { return s })
		if got, err := splitWords(platform.Windows, false, moved); (err != nil || !slices.Equal(got, want)) && !strings.Contains(text, `\"`) {
			t.Errorf("%q moved: %q, %v", text, got, err)
		}
	}
	for text, want := range map[string]string{`"a\"`: `"`, `a\"b`: `"`, `"a\`: ""} {
		_, err := splitWords(platform.Windows, false, []byte(text))
		if d := (diag.Diagnostic{}); !errors.As(err, &d) || d.ID != diag.StrayCharacter || d.Args[0] != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// nvlink.exe has no options for the host's linker. The option for the platform may be at any position
// (WIN-031, WIN-040).
func TestPlatform(t *testing.T) {
	for _, option := range []string{"-shared", "-ghls", "--host-ccbin=x"} {
		if _, said := ParseFor(arch.Default, platform.Windows, []string{option}, noFiles); len(said) != 1 || said[0].ID != diag.UnknownOption {
			t.Errorf("%s on Windows: %v", option, said)
		}
		if s, said := ParseFor(arch.Default, platform.Windows, []string{option, "--platform=linux"}, noFiles); len(said) != 0 || s.Platform != platform.Linux {
			t.Errorf("%s on Linux: %v", option, said)
		}
	}
}

// WIN-700: An argument NAME.lib that is not a file is a library, as if -l named it. Such libraries follow those of -l. If
// there are no other input files, no library is searched for.
func TestNameLibraries(t *testing.T) {
	isFile := func(name string) bool { return name == "here.lib" || name == "a.obj" }
	for _, tt := range []struct{ line, files, libraries, note string }{
		{"a.obj", "a.obj", "", "-arch sm_90 "},
		{"a.obj user32.lib here.lib kernel32.lib", "a.obj here.lib", "user32.lib kernel32.lib", "-arch sm_90 "},
		{"user32.lib a.obj -lx", "a.obj", "x user32.lib", "-arch sm_90 -l x,user32.lib "},
		{"user32.lib -lx", "", "", "-arch sm_90 -l x,user32.lib "},
		{"user32.lib -verbose-tkinfo=true", "", "", "user32.lib -arch sm_90 "},
		{"d/user32.lib d\\user32.lib user32.LIB c:user32.lib user32.dll .lib", "d/user32.lib d\\user32.lib user32.LIB user32.dll", "c:user32.lib .lib", "-arch sm_90 "},
	} {
		s, said := ParseFor(arch.Default, platform.Windows, append(strings.Fields(tt.line), "-arch=sm_90"), noFiles)
		if len(said) > 0 {
			t.Fatalf("%s: %v", tt.line, said)
		}
		files, libraries := s.NameLibraries(isFile)
		if f, l := strings.Join(files, " "), strings.Join(libraries, " "); f != tt.files || l != tt.libraries || s.Note() != tt.note {
			t.Errorf("%s: files %q, libraries %q, note %q", tt.line, f, l, s.Note())
		}
	}
	s, _ := ParseFor(arch.Default, platform.Linux, []string{"user32.lib", "libx.a"}, noFiles)
	if files, _ := s.NameLibraries(isFile); len(files) != 2 {
		t.Errorf("on Linux: %q", files)
	}
}

func noFiles(string) ([]byte, error) { return nil, fs.ErrNotExist }

// parse is Parse of a valid command line.
func parse(t *testing.T, args ...string) *Settings {
	t.Helper()
	s, said := Parse(args, noFiles)
	if len(said) > 0 {
		t.Fatalf("%q: %v", args, said)
	}
	return s
}

func TestSettings(t *testing.T) {
	s := parse(t, "a.cubin", "-arch=sm_90a", "-lx", "-L", "p,q", "-m64", "b.o", "-maxrregcount=0x10", "-device-stack-protector", "true", "-Ofc", "-v", "-o", "out", "-ptxas", "/p", "--json")
	got := *s
	got.given = nil
	want := Settings{
		Toolkit: arch.Default, Platform: platform.Linux,
		Inputs: []string{"a.cubin", "b.o"}, Arch: "sm_90a", Libraries: []string{"x"}, LibraryPaths: []string{"p", "q"}, Machine: 64,
		MaxRegCount: 16, StackProtector: true, FastCompile: "0", Verbose: true, Output: "out",
		CPUArch: "unknown", SplitCompile: 1, SplitCompileExtended: 1, PtxasPath: "/p", JSON: true,
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Settings{}), cmp.Comparer(func(a, b *platform.Platform) bool { return a == b })); diff != "" {
		t.Errorf("settings (-want +got):\n%s", diff)
	}
	if !s.Given("maxrregcount") || s.Given("debug") {
		t.Error("Given does not tell the options that were given")
	}
}

// Up to 11.8 brackets protect the commas of a list and are removed, and a backslash is an ordinary character
// (OPT-010, KIT-219).
func TestSplitList(t *testing.T) {
	for _, c := range []struct{ text, quotes, brackets string }{ // items with | between them
		{`[a,b],c`, `[a|b]|c`, `a,b|c`},
		{`a[,]b,[[c],d]`, `a[|]b|[[c]|d]`, `a,b|c,d`},
		{`a],"[b,",[]`, `a]|[b,|[]`, `a]|[b,`},
		{`[a"]"],b`, `[a]]|b`, `a]|b`},
		{`a\[,b`, `a\[|b`, `Stray '[' character`},
		{`"a\",b`, `Stray '"' character`, `a\|b`},
		{`\"a,b\"`, `Stray '"' character`, `\a,b\`},
		{`"a\"b"`, `a\"b`, `Stray '"' character`},
		{`"a\`, `Stray '' character`, `Stray '"' character`},
		{`["a`, `Stray '"' character`, `Stray '"' character`},
	} {
		for brackets, want := range map[bool]string{false: c.quotes, true: c.brackets} {
			items, err := splitList(brackets, c.text)
			got := strings.Join(items, "|")
			if said := (diag.Diagnostic{}); errors.As(err, &said) {
				got = said.Text()
			}
			if got != want {
				t.Errorf("%s, brackets %v: %s, want %s", c.text, brackets, got, want)
			}
		}
	}
}

// A list that is quoted by the rules for lists is read back unchanged (OPT-010).
func TestListRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		item := rapid.StringMatching(`[a-z, \t\[\]'=]*[a-z\[\]'=]`)
		want := rapid.SliceOf(item).Draw(t, "items")
		var quoted []string
		for i, s := range want {
			want[i] = strings.Trim(s, " \t")
			quoted = append(quoted, ` "`+s+"\"\t")
		}
		got, err := splitList(false, strings.Join(quoted, ","))
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q gives %q, %v; want %q", quoted, got, err, want)
		}
	})
}

// Words that are escaped by the rules for response files are read back (OPT-015).
func TestResponseFileRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.StringMatching(`([a-z \t\r\n\\',]|\\")*`)).Draw(t, "words")
		var text strings.Builder
		for _, w := range want {
			text.WriteString(escape(w) + rapid.SampledFrom([]string{" ", "\t", "\r\n", "\n\n"}).Draw(t, "blank"))
		}
		got, err := splitWords(platform.Linux, false, []byte(text.String()))
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q gives %q, %v; want %q", text.String(), got, err, want)
		}
	})
}

// Quotes go last, but not one behind a backslash. Blanks at the ends of a word go before them, also if a backslash is
// before them (OPT-015).
func TestResponseFileQuotes(t *testing.T) {
	for text, want := range map[string][]string{
		`\" a`: {"", "a"}, `a\"b`: {"ab"}, `a \"`: {"a", ""}, `""`: {""}, ` `: nil,
		`"a\\"`: {`a\"`}, `\\"a"`: {`\"a`}, `\ a\ b\	\ `: {"a b"}, `\ `: nil, `\ ""`: {""}, `" a "\ `: {" a "}, "\\\n": {"\n"},
	} {
		if got, err := splitWords(platform.Linux, false, []byte(text)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%q gives %q, %v; want %q", text, got, err, want)
		}
	}
}

// The note does not depend on the order of the options (OPT-030).
func TestNoteOrder(t *testing.T) {
	options := []string{"-g", "-arch=sm_90", "-lfoo", "-Lbar", "-w", "-maxrregcount=8", "-o=out/x.cubin", "-time=t", "-Ofc=min", "-kernels-used=a", "-variables-used=b"}
	want := parse(t, append(options, "in/k.cubin")...).Note()
	if !strings.HasPrefix(want, "k.cubin -o x.cubin -g  -arch sm_90 ") {
		t.Errorf("note is %q", want)
	}
	rapid.Check(t, func(t *rapid.T) {
		s, _ := Parse(append(rapid.Permutation(options).Draw(t, "options"), "in/k.cubin"), noFiles)
		if got := s.Note(); got != want {
			t.Fatalf("note is %q, want %q", got, want)
		}
	})
}

// Parsing stops if response files include each other many times. 2^14 readings of the last one would take
// minutes (OPT-019).
func TestResponseFilesEnd(t *testing.T) {
	pad := strings.Repeat(" ", 1<<20)
	reads := 0
	_, said := Parse([]string{"-optf", "a"}, func(name string) ([]byte, error) {
		reads++
		if len(name) == maxResponseDepth {
			return []byte(pad), nil
		}
		return []byte("-optf " + name + "a," + name + "a" + pad), nil
	})
	if len(said) != 1 || said[0].ID != diag.TooManyOptionsFiles {
		t.Errorf("said %v after %d files", said, reads)
	}
	if reads > 100 {
		t.Errorf("%d files were read", reads)
	}
}

// nvlink crashes on -report-arch without -arch. culink reports the missing option (OPT-027).
func TestReportArchWithoutArch(t *testing.T) {
	s := parse(t, "-report-arch", "k.cubin")
	var log diag.Log
	s.Check(&log)
	if len(log.Diagnostics) != 1 || log.Diagnostics[0].ID != diag.UnknownArch || s.Suffix() != "" {
		t.Errorf("said %v with suffix %q", log.Diagnostics, s.Suffix())
	}
}

func TestCauseOfMissingResponseFile(t *testing.T) {
	_, said := Parse([]string{"-optf=x"}, noFiles)
	if len(said) != 1 || !errors.Is(said[0], fs.ErrNotExist) {
		t.Errorf("said %v", said)
	}
}

// The minor number of -cuda-api-version is at most that of the release, and may be negative (OPT-025).
func TestMaxAPI(t *testing.T) {
	for text, want := range map[string]uint32{
		"13.0": 130, "13.3": 133, "13.5": 135, "13.9": 135, "13.2147483647": 135,
		"13.-1": 129, "13.4294967290": 124, "13.-129": 1,
		"13.-130": 0, "13.-131": 1<<32 - 1, "13.-2147483648": 1<<31 + 130,
	} {
		set := "--toolkit=13.5"
		s, said := Parse([]string{set, "-arch=sm_80", "-cuda-api-version=" + text, "a.cubin"}, noFiles)
		if s.MaxAPI() != want {
			t.Errorf("%s: %d, want %d; said %v", text, s.MaxAPI(), want, said)
		}
	}
}

// 11.8 refuses -m32 for sm_90 after options that conflict, and before a bad version (KIT-220).
func TestMachineOfTarget(t *testing.T) {
	for words, want := range map[string]diag.ID{
		"-arch=sm_90 -cuda-api-version=x":  diag.OptionNotSupported,
		"-arch=compute_90":                 diag.OptionNotSupported,
		"-arch=sm_90 -suppress-debug-info": diag.ConflictingOptions,
		"-arch=sm_89 -cuda-api-version=x":  diag.APIVersionSyntax,
	} {
		var log diag.Log
		parse(t, append([]string{"--toolkit=11.8", "-m32", "-o", "o", "k.cubin"}, strings.Fields(words)...)...).Check(&log)
		if len(log.Diagnostics) != 1 || log.Diagnostics[0].ID != want {
			t.Errorf("%s: %v, want %v", words, log.Diagnostics, want)
		}
	}
}

// The note has -v2 behind -v (INFO-981).
func TestVerbose2InNote(t *testing.T) {
	for _, toolkit := range []string{"13.2", "13.5"} {
		s := parse(t, "--toolkit="+toolkit, "-preserve-relocs", "-v2", "-arch=sm_90", "-v", "a.cubin")
		if got, want := s.Note(), "-arch sm_90 -v  -v2  -preserve-relocs  "; got != want {
			t.Errorf("%s: %q, want %q", toolkit, got, want)
		}
	}
}
