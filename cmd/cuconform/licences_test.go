package main

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write LICENSES.txt anew")

// licencesFile is distributed with the release binaries, in the container image, and in the Python wheel.
const licencesFile = "../../LICENSES.txt"

// licences returns the licences of all code that is compiled into the commands and the library, on all systems of
// releases. For each package it takes the licence files in the package's folder, or in the nearest folder above it in
// the module. It adds Go's licence.
func licences(t *testing.T) []byte {
	t.Helper()
	texts := map[string][]byte{}
	golang := exec.Command("go", "env", "GOROOT")
	root, err := golang.Output()
	if err != nil {
		t.Fatal(err)
	}
	addLicences(t, texts, "Go", strings.TrimSpace(string(root)), strings.TrimSpace(string(root)))
	for _, system := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-e", "-deps", "-tags=packed", "-f", "{{with .Module}}{{if not .Main}}{{$.ImportPath}}\t{{$.Dir}}\t{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}",
			"../culink", "../cuconform", "../culink-lto")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		list, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(list)) {
			if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 4 {
				addLicences(t, texts, fields[2], fields[1], fields[3])
			}
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "Licences of what is compiled into culink, cuconform, culink-lto and libnvJitLink beside their own code, whose licence is LICENSE.\nMade by go test ./cmd/cuconform -run TestLicences -update.\n")
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&b, "\n==== %s\n\n%s\n", name, bytes.TrimSpace(bytes.ReplaceAll(texts[name], []byte("\r\n"), []byte("\n"))))
	}
	return b.Bytes()
}

var isLicence = regexp.MustCompile(`(?i)^(licen[cs]e|notice|patents|copying)(\.(txt|md))?$`)

// addLicences adds the licences that apply to a folder of a module.
func addLicences(t *testing.T, texts map[string][]byte, module, folder, root string) {
	t.Helper()
	for {
		entries, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		found := slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !isLicence.MatchString(e.Name()) })
		for _, e := range found {
			data, err := os.ReadFile(filepath.Join(folder, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			place, _ := filepath.Rel(root, filepath.Join(folder, e.Name()))
			texts[module+": "+filepath.ToSlash(place)] = data
		}
		if len(found) > 0 || folder == root {
			return
		}
		folder = filepath.Dir(folder)
	}
}

// LICENSES.txt has the licences of all code that is compiled in. The test generates its text again from the modules.
func TestLicences(t *testing.T) {
	t.Parallel()
	got := licences(t)
	if *update {
		if err := os.WriteFile(licencesFile, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want := readText(t, "LICENSES.txt"); string(got) != strings.ReplaceAll(want, "\r\n", "\n") {
		t.Error("LICENSES.txt is old: go test ./cmd/cuconform -run TestLicences -update")
	}
	for _, module := range []string{"Go: LICENSE", "golang.org/x/sys", "klauspost/compress", "zstd/internal/xxhash", "purego"} {
		if !strings.Contains(string(got), module) {
			t.Errorf("no licence of %s", module)
		}
	}
}

// Actions and base images have fixed digests. Workflows insert no outside data into scripts. Releases use no cache, and
// are signed and attested. The Python wheels of NVIDIA's tools have fixed hashes.
func TestReleasesArePinned(t *testing.T) {
	workflows, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(workflows) < 5 {
		t.Fatal(workflows, err)
	}
	uses, pinned := regexp.MustCompile(`(?m)^[ -]*uses: *(\S+)(.*)$`), regexp.MustCompile(`@[0-9a-f]{40}$`)
	version := regexp.MustCompile(`^ # v\d+\.\d+\.\d+$`)
	for _, name := range append(workflows, "../../action.yml") {
		text := readText(t, strings.TrimPrefix(filepath.ToSlash(name), "../../"))
		for _, m := range uses.FindAllStringSubmatch(text, -1) {
			if !pinned.MatchString(m[1]) || !version.MatchString(strings.TrimRight(m[2], "\r")) {
				t.Errorf("%s: %s%s is no commit with its version", name, m[1], m[2])
			}
		}
		for _, script := range scripts(text) {
			if strings.Contains(script, "${{") {
				t.Errorf("%s: an expression in a script: %s", name, script)
			}
		}
	}
	from := regexp.MustCompile(`(?m)^FROM \S+@sha256:[0-9a-f]{64}( AS \w+)?\r?$`)
	if text := readText(t, "Containerfile"); len(from.FindAllString(text, -1)) != strings.Count(text, "\nFROM ") {
		t.Error("Containerfile: a base image without a digest")
	}
	for name, wants := range map[string][]string{
		".github/workflows/release.yml": {"cache: false", "id-token: write", "sigstore/cosign-installer@", "actions/attest-build-provenance@"},
		".goreleaser.yaml":              {"cmd: cosign", "LICENSES.txt"},
		"Containerfile":                 {"LICENSES.txt"},
		"python/wheel.py":               {`"-trimpath"`, "LICENSES.txt"},
		".ci/install-oracle.sh":         {"--require-hashes"},
	} {
		for _, want := range wants {
			if !strings.Contains(readText(t, name), want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
	}
	hash := regexp.MustCompile(`^(#.*|[a-z-]+==[\d.]+ --hash=sha256:[0-9a-f]{64})$`)
	for line := range strings.Lines(readText(t, ".ci/oracle-wheels.txt")) {
		if !hash.MatchString(strings.TrimSpace(line)) {
			t.Errorf("oracle-wheels.txt: %s", line)
		}
	}
}

// scripts returns the scripts of a workflow: the text after run:, on the same line or in more deeply indented lines.
func scripts(workflow string) (all []string) {
	depth, script := -1, ""
	for line := range strings.Lines(workflow + "\n-\n") {
		text := strings.TrimLeft(line, " -")
		indent := len(line) - len(text)
		if depth >= 0 && (strings.TrimSpace(line) == "" || indent > depth) {
			script += line
			continue
		}
		if depth >= 0 {
			all, depth = append(all, script), -1
		}
		if strings.HasPrefix(text, "run:") {
			depth, script = indent, text
		}
	}
	return all
}
