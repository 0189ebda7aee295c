package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program returns the path of the culink that contains all mutants.
func (c *campaign) program() string { return filepath.Join(c.temp, "together", "nvlink") }

// together and alone return the paths of overlay files for the go command: one with all mutants, and one with a single
// mutant.
func (c *campaign) together() string { return filepath.Join(c.temp, "together.json") }
func (c *campaign) alone() string    { return filepath.Join(c.temp, "alone.json") }

// choice returns the file that selects the mutant for test processes.
func (c *campaign) choice() string { return filepath.Join(c.temp, "choice") }

// buildTogether builds culink with all of these mutants. invalid has the mutants that do not compile.
func (c *campaign) buildTogether(ctx context.Context, mutants []*point) (invalid map[int]bool, err error) {
	byFile := map[string][]*point{}
	uses := map[string]map[int][]int{} // mutants by file and line
	for _, p := range mutants {
		if !p.isAlone() {
			byFile[p.File] = append(byFile[p.File], p)
			continue
		}
		functions := c.users.of(p.declares)
		p.anywhere = len(functions) == 0
		for _, u := range functions {
			if _, known := byFile[u.file]; !known {
				byFile[u.file] = nil // without mutants, so far
			}
			if uses[u.file] == nil {
				uses[u.file] = map[int][]int{}
			}
			uses[u.file][u.line] = append(uses[u.file][u.line], p.number)
		}
	}
	invalid = map[int]bool{}
	for {
		changed := map[string]string{"linker/mutant/mutant.go": mutantPackage(len(mutants), c.choice())}
		joined := map[string]together{}
		for file, list := range byFile {
			source, err := os.ReadFile(filepath.Join(c.root, filepath.FromSlash(file)))
			if err != nil {
				return nil, err
			}
			var valid []*point
			for _, p := range list {
				if !invalid[p.number] {
					valid = append(valid, p)
				}
			}
			if joined[file], err = join(file, source, valid, uses[file]); err != nil {
				return nil, err
			}
			changed[file] = joined[file].text
		}
		if err := c.writeOverlay(c.together(), changed); err != nil {
			return nil, err
		}
		// The flag -e makes the compiler report all errors of a package, and not only the first ten.
		err := c.build(ctx, c.program(), "-overlay", c.together(), "-gcflags="+module+"...=-e")
		if err == nil {
			return invalid, nil
		}
		before := len(invalid)
		for _, at := range placesIn(err.Error()) {
			if number := joined[at.file].at(at.line); number > 0 {
				invalid[number] = true
			}
		}
		if len(invalid) == before || ctx.Err() != nil {
			return nil, err
		}
	}
}

// placesIn returns the positions of the compiler's errors in files that the overlay replaces.
func placesIn(errors string) (places []place) {
	lines := bufio.NewScanner(strings.NewReader(errors))
	for lines.Scan() {
		words := strings.SplitN(lines.Text(), ":", 3)
		var line int
		if len(words) == 3 {
			if _, err := fmt.Sscan(words[1], &line); err == nil {
				places = append(places, place{strings.ReplaceAll(filepath.Base(words[0]), inName, "/"), line})
			}
		}
	}
	return places
}

// writeAlone writes the overlay with one mutant.
func (c *campaign) writeAlone(p *point) error {
	source, err := os.ReadFile(filepath.Join(c.root, filepath.FromSlash(p.File)))
	if err != nil {
		return err
	}
	return c.writeOverlay(c.alone(), map[string]string{p.File: string(p.apply(source))})
}

// inName replaces slashes in the names of the overlay's files. These names appear in the compiler's errors.
const inName = "+"

// writeOverlay writes a file for the go command's flag -overlay. changed maps slash-separated paths from the root of the
// module to new texts.
func (c *campaign) writeOverlay(name string, changed map[string]string) error {
	replace := map[string]string{}
	folder := strings.TrimSuffix(name, ".json")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for file, text := range changed {
		to := filepath.Join(folder, strings.ReplaceAll(file, "/", inName))
		if err := os.WriteFile(to, []byte(text), 0o666); err != nil {
			return err
		}
		replace[filepath.Join(c.root, filepath.FromSlash(file))] = to
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(name, text, 0o666)
}

// build builds culink, with flags of the go command.
func (c *campaign) build(ctx context.Context, program string, flags ...string) error {
	arguments := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", program}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(arguments, "./cmd/culink")...)
	cmd.Dir = c.root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w\n%s", err, out)
	}
	return nil
}
