package sandbox

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/culink/culink/conformance/confine"
	"github.com/culink/culink/conformance/late"
	"github.com/culink/culink/linker/limit"
)

// A linker under test reads its own folder, what the system has for everybody, and itself: each file that its command names, what
// that is a link to, and what its #! line starts, with the folder of each and the prefix under which it is installed; and
// the programs that a script names. Keys, mail and sources at home are no part of that. Nobody knows what else a
// linker needs; who runs it says so (-read).

// A reading collects what a linker reads.
type reading struct {
	homes []string // folders of the user
	files []string
	seen  map[seenProgram]bool
}

type seenProgram struct {
	file      string
	installed bool
}

// readsOf are the files and folders that belong to a linker: those of the words of its command, of culink's variables and of
// those that it keeps by name, and the folders in which programs and libraries are looked for.
func readsOf(command, env, keptByName, homes []string) []string {
	r := reading{homes: homes, seen: map[seenProgram]bool{}}
	for _, word := range command {
		r.program(word, true)
	}
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		switch {
		case name == "PATH":
			for _, folder := range filepath.SplitList(value) {
				r.folder(folder)
				if slices.Contains(ofPrograms, filepath.Base(folder)) {
					r.parts(filepath.Dir(folder))
				}
			}
		case name == "LD_LIBRARY_PATH":
			for _, folder := range filepath.SplitList(value) {
				r.folder(folder)
			}
		case strings.HasPrefix(name, ownVariables):
			r.program(value, true)
		case slices.Contains(keptByName, name):
			if info, err := os.Stat(value); err == nil && info.IsDir() {
				r.folder(value)
			} else if isProgram(value) {
				r.program(value, true)
			}
		}
	}
	slices.Sort(r.files)
	return slices.DeleteFunc(slices.Compact(r.files), confine.OfSystem)
}

// program adds a program or a script, if the word is the absolute name of a file, and what it starts. installed asks for its folder
// and its installation too.
func (r *reading) program(file string, installed bool) {
	seen := seenProgram{file, installed}
	if !filepath.IsAbs(file) || r.seen[seen] {
		return
	}
	r.seen[seen] = true
	file = filepath.Clean(file)
	info, err := os.Lstat(file)
	if err != nil || info.IsDir() {
		return
	}
	r.files = append(r.files, file)
	if folder := filepath.Dir(file); installed {
		r.folder(folder)
		if slices.Contains(ofPrograms, filepath.Base(folder)) {
			r.prefix(filepath.Dir(folder))
		}
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		to, err := os.Readlink(file)
		if err == nil && !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(file), to)
		}
		real, _ := filepath.EvalSymlinks(file) // another one where the folders are links
		for _, name := range []string{to, real} {
			if isProgram(name) {
				r.program(name, installed)
			}
		}
		return
	}
	r.script(file)
}

// namesInScript are the absolute names of files in a script.
var namesInScript = late.Regexp("/[^\\s'\"`$;&|()<>\\[\\]{},]+")

// script adds the interpreter of a script, and the programs that it names.
func (r *reading) script(file string) {
	const longest = 64 << 10 // more is no script that starts a linker
	text, err := limit.ReadFile(file, longest)
	if err != nil || bytes.IndexByte(text, 0) >= 0 {
		return
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if line, ok := strings.CutPrefix(line, "#!"); ok {
		for _, name := range startedBy(strings.Fields(line)) {
			if isProgram(name) {
				r.program(name, true)
			}
		}
	}
	for _, name := range namesInScript().FindAllString(string(text), -1) {
		if isProgram(name) {
			r.program(name, false)
		}
	}
}

// startedBy are the programs of a #! line: its first word and, where that is env, the one that env finds.
func startedBy(words []string) []string {
	if len(words) == 0 || filepath.Base(words[0]) != "env" {
		return words[:min(len(words), 1)]
	}
	for _, word := range words[1:] {
		if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		if found, err := exec.LookPath(word); err == nil {
			return []string{words[0], found}
		}
		break
	}
	return words[:1]
}

// isProgram reports whether a name is one of a file that can be started: what a linker's files name is not trusted to be
// anything, and a key is no program.
func isProgram(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// ofPrograms are the names of the folders of an installation that programs are in.
var ofPrograms = []string{"bin", "sbin", "libexec", "shims"}

// ofInstallations are the parts of an installation that are read where its prefix has other things as well: secrets of programs
// in a hidden folder at home, everything in home itself.
var ofInstallations = []string{"bin", "sbin", "libexec", "shims", "lib", "lib32", "lib64", "nvvm", "targets", "version", "versions", "plugins"}

// prefix adds an installation.
func (r *reading) prefix(dir string) {
	if r.isShared(dir) || strings.HasPrefix(filepath.Base(dir), ".") && r.isShared(filepath.Dir(dir)) {
		r.parts(dir)
	} else {
		r.files = append(r.files, dir)
	}
}

// parts adds the parts of an installation.
func (r *reading) parts(dir string) {
	for _, name := range ofInstallations {
		if name = filepath.Join(dir, name); !r.isShared(name) {
			if _, err := os.Lstat(name); err == nil {
				r.files = append(r.files, name)
			}
		}
	}
}

// folder adds a folder, unless it is one in which everything else is as well.
func (r *reading) folder(dir string) {
	if filepath.IsAbs(dir) && !r.isShared(dir) {
		r.files = append(r.files, filepath.Clean(dir))
	}
}

// isShared reports whether a folder is home, of anybody, or one above, or one in which everybody writes.
func (r *reading) isShared(dir string) bool {
	dir = withoutLinks(dir)
	parent := filepath.Dir(dir)
	if parent == dir || slices.Contains([]string{"/home", "/Users"}, parent) {
		return true
	}
	for _, home := range r.homes {
		if home == dir || strings.HasPrefix(home, dir+string(filepath.Separator)) {
			return true
		}
	}
	info, err := os.Stat(dir)
	return err == nil && info.Mode()&fs.ModeSticky != 0
}

// homes are the folders of users that are in no folder of such: that of the environment, and root's.
func homes() []string {
	dirs := []string{"/root"}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		dirs = append(dirs, withoutLinks(home))
	}
	return dirs
}

// withoutLinks is the name of a file by folders that are no links, where it exists.
func withoutLinks(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	return filepath.Clean(file)
}
