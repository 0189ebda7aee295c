package input

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/diag"
)

// TestLivePTX compares the treatment of PTX with that of nvlink, which contains a compiler (LOAD-017, LOAD-019).
// It needs the oracle and uses its ptxas.
func TestLivePTX(t *testing.T) {
	oracle := toolstest.Oracle(t)
	t.Setenv(PTXASVariable, filepath.Join(oracle, "bin", "ptxas"))
	text := string(load(t, "k.80.ptx"))
	w80, w90, k90 := load(t, "w.80.cubin"), load(t, "w.90.cubin"), load(t, "k.90.cubin")
	elf := func(arch uint32, data []byte) craft.Entry { return craft.Entry{Kind: 2, Arch: arch, Payload: data} }
	ptx := func(arch uint32, flags uint64, options string) craft.Entry {
		return craft.Entry{Kind: 1, Arch: arch, Flags: flags, Options: options, Payload: []byte(text)}
	}
	const flagA, flagF = 0x100000, 0x200000
	ltoir := craft.Entry{Kind: 8, Arch: 90, Payload: []byte(strings.Repeat("not intermediate code ", 10))}
	compressed := func(e craft.Entry, how string) craft.Entry { e.Compress = how; return e }

	var all []situation
	add := func(name, arch, file string, data []byte) {
		all = append(all, situation{name: name + " on " + arch, arch: arch, files: []inputFile{{file, data}}})
	}
	for _, arch := range []string{"sm_75", "sm_80", "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_103a", "compute_90", "compute_90a", "compute_100", "compute_103f", "compute_80", "compute_75"} {
		add("PTX file", arch, "x.ptx", []byte(text))
		add("PTX entry", arch, "x.fatbin", craft.Fatbin(ptx(80, 0, "")))
		add("PTX entry, host object", arch, "x.o", craft.RDC(craft.Fatbin(ptx(80, 0, "")), "_x"))
		add("PTX member", arch, "x.a", craft.Archive(craft.Member{Name: "m.o/", Data: craft.RDC(craft.Fatbin(ptx(80, 0, "")), "_x")}))
	}
	for _, how := range []string{"lz4", "zstd"} {
		add("PTX entry "+how, "sm_90", "x.fatbin", craft.Fatbin(compressed(ptx(80, 0, ""), how)))
	}
	add("PTX with options", "sm_90", "x.fatbin", craft.Fatbin(ptx(80, 0, "-O0 --compile-only")))
	add("PTX with options of nvcc", "sm_90", "x.fatbin", craft.Fatbin(ptx(80, 0, "-O1 --compile-only  -maxrregcount=32 ")))
	add("PTX with bad options", "sm_90", "x.fatbin", craft.Fatbin(ptx(80, 0, "-O9")))
	add("PTX with warning", "sm_90", "x.fatbin", craft.Fatbin(ptx(80, 0, "-maxrregcount=4")))
	add("ELF 86, ELF 80, PTX 89", "sm_89", "x.fatbin", craft.Fatbin(elf(86, w80.with(u8at(offFlags+1, 86))), elf(80, w80), ptx(89, 0, "")))
	add("ELF 80, PTX 80", "sm_89", "x.fatbin", craft.Fatbin(ptx(80, 0, ""), elf(80, w80)))
	add("ELF 80, PTX 80", "sm_90", "x.fatbin", craft.Fatbin(ptx(80, 0, ""), elf(80, w80)))
	add("ELF 90, PTX 90a", "sm_90a", "x.fatbin", craft.Fatbin(elf(90, w90), ptx(90, flagA, "")))
	add("PTX 90a", "sm_90", "x.fatbin", craft.Fatbin(ptx(90, flagA, "")))
	add("PTX 90a", "sm_90a", "x.fatbin", craft.Fatbin(ptx(90, flagA, "")))
	add("PTX 80, PTX 75", "sm_90", "x.fatbin", craft.Fatbin(ptx(75, 0, ""), ptx(80, 0, "-O0")))
	add("PTX 100f", "sm_103", "x.fatbin", craft.Fatbin(ptx(100, flagF, "")))
	add("PTX 100f", "sm_110", "x.fatbin", craft.Fatbin(ptx(100, flagF, "")))
	add("PTX 100f", "sm_100f", "x.fatbin", craft.Fatbin(ptx(100, flagF, "")))
	add("PTX 100a", "sm_100f", "x.fatbin", craft.Fatbin(ptx(100, flagA, "")))
	add("PTX file 90a", "compute_90a", "x.ptx", []byte(strings.Replace(text, ".target sm_80", ".target sm_90a", 1)))
	add("PTX file 100a", "sm_100f", "x.ptx", []byte(strings.Replace(text, ".target sm_80", ".target sm_100a", 1)))
	add("PTX file 100a", "compute_100", "x.ptx", []byte(strings.Replace(text, ".target sm_80", ".target sm_100a", 1)))
	add("PTX 100a", "sm_100", "x.fatbin", craft.Fatbin(ptx(100, flagA, "")))
	add("PTX 50", "sm_90", "x.fatbin", craft.Fatbin(ptx(50, 0, "")))
	add("PTX 80, LTOIR 90", "sm_90", "x.fatbin", craft.Fatbin(ptx(80, 0, ""), ltoir))
	add("PTX 90, LTOIR 90", "sm_90", "x.fatbin", craft.Fatbin(ltoir, ptx(90, 0, "")))
	add("PTX 90 and ELF 90", "compute_90", "x.fatbin", craft.Fatbin(elf(90, k90), ptx(90, 0, "")))
	add("LTOIR", "compute_90", "x.fatbin", craft.Fatbin(ltoir))
	for _, e := range []struct{ name, text string }{
		{"PTX, syntax error", strings.Replace(text, ".visible .entry k(", ".visible .ent k(", 1)},
		{"PTX, unknown instruction", strings.Replace(text, "mad.lo.s32", "mud.lo.s32", 1)},
		{"PTX of a later version", strings.Replace(text, ".version 9.0", ".version 9.9", 1)},
		{"PTX for a later target", strings.Replace(text, ".target sm_80", ".target sm_100", 1)},
		{"PTX for a target of its own", strings.Replace(text, ".target sm_80", ".target sm_100a", 1)},
		{"PTX without version", strings.Replace(text, ".version 9.0", "", 1)},
		{"PTX without comments", text[strings.Index(text, ".version"):]},
		{"PTX with blanks in front", strings.Repeat(" \n", 300) + text},
		{"PTX in text", "some text before " + text},
		{"only a version and a comment", ".version 9.0\n.target sm_80\n.address_size 64\n// " + strings.Repeat("x", 60)},
		{"a comment", "// " + strings.Repeat("x", 60)},
		{"blanks", strings.Repeat(" \n", 60)},
		{"PTX behind zeros", "\x00\x00" + text},
		{"PTX with zeros behind", text + "\x00\x00\x00\x00"},
		{"PTX with text behind zeros", text + "\x00junk"},
		{"an archive", string(craft.Archive(craft.Member{Name: "m.o/", Data: []byte(text)}))},
		{"the word version", strings.Repeat(".versio ", 20) + ".version"},
	} {
		add(e.name, "sm_90", "x.ptx", []byte(e.text))
	}
	add("entry, syntax error", "sm_90", "x.fatbin", craft.Fatbin(craft.Entry{Kind: 1, Arch: 80, Payload: []byte(strings.Replace(text, "mad.lo.s32", "mud.lo.s32", 1))}))
	all = append(all,
		situation{name: "PTX and cubin", files: []inputFile{{"a.ptx", []byte(text)}, {"b.cubin", w90}}},
		situation{name: "PTX before a missing file", args: "a.ptx nosuch.cubin", files: []inputFile{{"a.ptx", []byte(text)}}},
		situation{name: "bad PTX before a missing file", args: "a.ptx nosuch.cubin", files: []inputFile{{"a.ptx", []byte(strings.Replace(text, "mad", "mud", 1))}}},
	)
	for _, s := range all {
		t.Run(s.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			s.write(t, ".")
			ours := s.load(t)
			if crash, difference := s.compare(t, ours); difference != "" && !crash {
				t.Errorf("%s\nours: %s\n%s", s.name, ours, difference)
			}
		})
	}
}

// The compiler from the command line or the environment takes precedence. Only absolute folders of PATH count
// (OPT-504).
func TestFindPTXAS(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	program := "ptxas"
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	for _, folder := range []string{"relative", "first", "second"} {
		if err := os.Mkdir(folder, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, program), nil, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", strings.Join([]string{"relative", "", ".", filepath.Join(dir, "none"), filepath.Join(dir, "first"), filepath.Join(dir, "second")}, string(filepath.ListSeparator)))
	t.Setenv(PTXASVariable, "")
	if got, want := FindPTXAS(""), filepath.Join(dir, "first", "ptxas"); strings.TrimSuffix(got, ".exe") != want {
		t.Errorf("%q, want %q", got, want)
	}
	t.Setenv(PTXASVariable, "named")
	if got := FindPTXAS(""); got != "named" {
		t.Errorf("with the environment %q", got)
	}
	if got := FindPTXAS("given"); got != "given" {
		t.Errorf("with the option %q", got)
	}
}

// TestCutCubinAsPTX checks that a cubin in a .ptx file is linked before 13.0. A truncated one is reported as
// damaged, and not skipped like an empty file (KIT-204, E-421).
func TestCutCubinAsPTX(t *testing.T) {
	data, err := corpus.Files.ReadFile("archive/cubin-as-ptx/sm_80/in/long.ptx")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.WriteFile("cut.ptx", data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, toolkit := range []string{"11.8", "12.4", "12.5"} {
		var log diag.Log
		loaded, err := Load(t.Context(), Options{Arch: "sm_80", Toolkit: toolkit, Files: []string{"cut.ptx"}}, &log)
		if err == nil || log.Worst() != diag.Fatal {
			t.Errorf("%s: %v, %v", toolkit, loaded, log.Diagnostics)
		}
	}
}

// The compiler gets -cuda-api-version as it was typed, up to a blank. From 12.6 on a value longer than the buffer for it
// ends the link, as does a count of registers (LOAD-047, LOAD-967).
func TestArgumentsOfCompiler(t *testing.T) {
	ptx := fstest.MapFS{"a.ptx": {Data: []byte(".version 7.8\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n")}}
	for _, tt := range []struct {
		toolkit, version string
		registers        int
		want             string // that the compiler gets; empty if it is not run
	}{
		{"13.0", "", 999, "-maxrregcount 999"},
		{"13.0", "", 1000, ""},
		{"13.0", "13.0", 0, "--cuda-api-version 13.0"},
		{"13.0", "13.00", 0, ""},
		{"12.4", "12.00", 1000, "-maxrregcount 1000 --cuda-api-version 12.00"},
		{"12.4", "12.0 ", 0, "--cuda-api-version 12.0"},
		{"12.4", " 12.0", 0, "--cuda-api-version "},
	} {
		var got string
		var log diag.Log
		Load(t.Context(), Options{Arch: "sm_90", Toolkit: tt.toolkit, Files: []string{"a.ptx"}, FS: ptx, PTXAS: PTXAS{
			APIVersion: tt.version, MaxRegisters: tt.registers,
			Compile: func(_ context.Context, arguments []string, _ []byte) ([]byte, string, error) {
				got = strings.Join(arguments, " ")
				return nil, "", nil
			},
		}}, &log)
		if !strings.HasSuffix(got, tt.want) || (got == "") != (tt.want == "") {
			t.Errorf("%s, version %q, %d registers: %q, want %q: %v", tt.toolkit, tt.version, tt.registers, got, tt.want, log.Diagnostics)
		}
	}
}
