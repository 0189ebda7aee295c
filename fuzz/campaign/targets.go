package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// A target is one fuzz function.
type target struct {
	name    string // FuzzLink
	pkg     string // import path
	dir     string // folder of its package
	program string // its test binary, after it is built
}

func (t target) String() string { return path.Base(t.pkg) + "." + t.name }

// declaration matches the declaration of a fuzz function in Go source.
var declaration = regexp.MustCompile(`(?m)^func (Fuzz\w*)\(`)

// findTargets lists the fuzz functions of the module in the working folder.
func findTargets(ctx context.Context, wanted *regexp.Regexp) ([]target, error) {
	const format = `{{.ImportPath}}|{{.Dir}}|{{join .TestGoFiles "|"}}|{{join .XTestGoFiles "|"}}`
	list, err := exec.CommandContext(ctx, "go", "list", "-f", format, "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var targets []target
	for l := range strings.Lines(string(list)) {
		words := strings.Split(strings.TrimSpace(l), "|")
		t := target{pkg: words[0], dir: words[1]}
		for _, file := range words[2:] {
			if file == "" {
				continue
			}
			source, err := os.ReadFile(filepath.Join(t.dir, file))
			if err != nil {
				return nil, err
			}
			for _, m := range declaration.FindAllSubmatch(source, -1) {
				t.name = string(m[1])
				if wanted.MatchString(t.name) {
					targets = append(targets, t)
				}
			}
		}
	}
	return targets, nil
}

// build builds the test binaries of all targets in dir, one for each package.
func build(ctx context.Context, dir string, targets []target) error {
	built := map[string]string{}
	for i := range targets {
		t := &targets[i]
		if built[t.pkg] == "" {
			program := filepath.Join(dir, fmt.Sprintf("%d.test.exe", i)) // Windows needs .exe
			cmd := exec.CommandContext(ctx, "go", "test", "-c", "-fuzz=Fuzz", "-o", program, t.pkg)
			if out, err := cmd.CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w\n%s", t.pkg, err, out)
			}
			built[t.pkg] = program
		}
		t.program = built[t.pkg]
	}
	return nil
}
