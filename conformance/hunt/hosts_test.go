package hunt

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubintext"
)

// With -hosts, inputs of a trial are in host objects, fat binaries and libraries of the system
// (CONF-860).
func TestHostsOfTrials(t *testing.T) {
	for system, magic := range map[string]string{"x86_64": "\x7fELF", "aarch64": "\x7fELF", "windows": "\x64\x86"} {
		t.Run(system, func(t *testing.T) {
			h := fakeHunter(t, "good")
			h.units, h.hosts = 0, hostForms[system]
			var objects, fatbins, libraries, searches int
			for n := range 100 {
				a := h.trial(80, n)
				files, err := a.files(h.oracle)
				if err != nil {
					t.Fatal(err)
				}
				steps := a.steps()
				args := steps[len(steps)-1].Args
				for name, data := range files {
					switch {
					case strings.HasSuffix(name, h.hosts.suffix) && bytes.HasPrefix(data, []byte(magic)):
						objects++
					case strings.HasSuffix(name, ".fatbin") && len(data) > 80:
						fatbins++
					case name == h.hosts.library && bytes.HasPrefix(data, []byte("!<arch>\n")):
						libraries++
						if slices.Contains(args, "-larchive") {
							searches++
						} else if !slices.Contains(args, name) {
							t.Errorf("trial %d: %q without the library", n, args)
						}
					}
				}
				for _, word := range args {
					if strings.HasSuffix(word, ".cubin") && word != "out.cubin" && files[word] == nil {
						t.Errorf("trial %d: no file %s", n, word)
					}
				}
			}
			if objects < 100 || fatbins < 20 || libraries < 20 || searches < 5 || searches == libraries {
				t.Errorf("%d objects, %d fat binaries, %d libraries, %d of them by -l", objects, fatbins, libraries, searches)
			}
		})
	}
}

// The script of a stored trial sets the release and the system for the linker under test alone (CONF-860).
func TestScriptSelectsTheReference(t *testing.T) {
	h := fakeHunter(t, "bytes")
	h.pair.Toolkit, h.pair.Platform = "13.5.37", "windows"
	f := h.try(badTrial(h)).finding
	script, err := os.ReadFile(filepath.Join(f.folder, "repeat.sh"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "(CULINK_TOOLKIT=13.5.37 CULINK_PLATFORM=windows exec -a nvlink $OTHER -arch=sm_80 m7.cubin -o out.cubin)"
	if text := string(script); !strings.Contains(text, want) || strings.Count(text, "CULINK_PLATFORM") != 1 {
		t.Errorf("%s\nwant %s", text, want)
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		cmd := exec.Command(bash, filepath.Join(f.folder, "repeat.sh"))
		cmd.Env = append(os.Environ(), "OTHER=bash -c env", "REFERENCE=bash -c env", "DIFF=true")
		if out, _ := cmd.CombinedOutput(); strings.Count(string(out), "CULINK_PLATFORM=windows\n") != 1 {
			t.Errorf("the linker under test gets this environment:\n%s", out)
		}
	}
}

// A choice of culink that is recognised from cubins is also recognised in a trial with host objects (docs/errata.md,
// E-335).
func TestChoiceWithHosts(t *testing.T) {
	equal, err := cubintext.Parse("equal", "cutext 1\nheader sm=80\nsection .shstrtab\nsection .strtab\nsection .symtab\n"+
		"\tsymbol a global data .nv.constant3 other=constant size=16\nsection .nv.constant3\n\tu32 1 2 3 4\n")
	if err != nil {
		t.Fatal(err)
	}
	for option, choice := range map[string]string{"-kernels-used=k": "E-335", "-v": ""} {
		h := fakeHunter(t, "bytes")
		link := badTrial(h)
		link.options = []string{option}
		link.hosts = map[string]*host{}
		for _, file := range []string{"one.cubin", "two.cubin"} {
			link.pool = append(link.pool, &member{file: file, data: equal})
			link.order = append(link.order, file)
			link.hosts[file] = &host{file: strings.Replace(file, ".cubin", ".o", 1), form: hostForms["x86_64"], id: file}
		}
		if v, err := h.judge(link); err != nil || v.Choice != choice || (v.Class == "") != (choice != "") {
			t.Errorf("%s: choice %q, class %q, %v; want %q", option, v.Choice, v.Class, err, choice)
		}
	}
}
