package option

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
)

// An untrusted command line is confined to its folder, and cannot select a program (OPT-513).
func TestConfined(t *testing.T) {
	files := map[string][]byte{
		"options":   []byte("-arch=sm_90 -optf d/more"),
		"d/more":    []byte(`-o "/etc/out"`),
		"traversal": []byte("../x.cubin"),
		"program":   []byte("--ptxas=./run"),
		"harmless":  []byte("-g d/b.cubin -Ld"),
	}
	for words, refused := range map[string]string{
		"-arch=sm_90 a.cubin -o out":                          "",
		"-arch=sm_90 ./d/../a.cubin -o d/out --map m -Ld -lx": "",
		"-optf harmless a.cubin -o out":                       "",
		"a..b -o out":                                         "",
		"-arch=sm_90 a.cubin -o /etc/out":                     "output-file",
		"-o ../out a.cubin":                                   "output-file",
		"-o d/../../out a.cubin":                              "output-file",
		"/etc/passwd -o out":                                  "/etc/passwd",
		"../a.cubin -o out":                                   "../a.cubin",
		"--register-link-binaries=/abs":                       "register-link-binaries",
		"--map /abs":                                          "map",
		"--dot-file /abs":                                     "dot-file",
		"--trace-file=/abs":                                   "trace-file",
		"-time /abs":                                          "time",
		"-L d,/usr/lib -lx":                                   "library-path",
		"-l ../../x":                                          "-l",
		"-uidx /abs":                                          "uidx-file",
		"-nv-host /abs":                                       "nv-host",
		"--repro inside.tar":                                  "repro",
		"--repro=/abs -bogus":                                 "repro",
		"--ptxas=inside":                                      "ptxas",
		"-ptxas /bin/sh":                                      "ptxas",
		"--platform=linux -ghls -host-ccbin=/any":             "host-ccbin",
		"-nvvmpath d -lto":                                    "nvvmpath",
		"--lto-compiler=./run -lto":                           "lto-compiler",
		"--make-shadow=d":                                     "make-shadow",
		"--cuda-path=/any":                                    "cuda-path",
		"-optf /etc/passwd":                                   "options file",
		"-optf=options":                                       "output-file",
		"-optf traversal":                                     "../x.cubin",
		"-optf program":                                       "ptxas",
		"-optf missing":                                       "options file",
	} {
		_, err := ParseConfined(arch.Default, strings.Fields(words), files)
		if (err != nil) != (refused != "") || err != nil && !strings.Contains(err.Error(), refused) {
			t.Errorf("%s: %v, want %q", words, err, refused)
		}
	}
}

// docs/security.md lists each option and variable whose value can be a program or a library. It also describes
// what replay does with each of them (OPT-513, OPT-521).
func TestProgramsOfTheTable(t *testing.T) {
	var want, got []string
	for _, o := range Table {
		if o.Program {
			want = append(want, "--"+o.Long)
		}
	}
	for _, v := range Variables {
		if v.Program {
			want = append(want, v.Name)
		}
	}
	page, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Programs that are run\n")
	table, _, _ = strings.Cut(table, "\n## ")
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(table, -1) {
		got = append(got, m[1])
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("docs/security.md has %q, the tables have %q", got, want)
	}
}

// Every option whose argument is a path or a file is classified: as a path, as a program, or as one of
// ownOutputs.
func TestOptionsThatNameFiles(t *testing.T) {
	for _, o := range Table {
		speaks := slices.ContainsFunc([]string{"path", "file", "folder", "command"}, func(word string) bool { return strings.Contains(o.Arg, word) })
		known := slices.Contains(pathOptions, o.Long) || o.Program || slices.Contains(ownOutputs, o.Long)
		if speaks && o.Kind != Switch && !known {
			t.Errorf("--%s (%s): is it a path, or does it name a program?", o.Long, o.Arg)
		}
	}
}
