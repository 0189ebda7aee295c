package hunt

import (
	"bytes"
	"slices"
	"strings"
	"testing"
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
