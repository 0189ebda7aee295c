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

// A linker under test may read its own folder, the files of the system, and its own files:
//   - each file that its command names, the target of a symbolic link, and the interpreter of a #! line, with the folder of each
//     and the prefix of its installation;
//   - the programs that a script names.
//
// Keys, mail and sources in the home folder are not among them. The flag -read adds files that a linker needs.

// A reading collects the files that a linker may read.
type reading struct {
	homes []string // folders of the user
	files []string
	seen  map[seenProgram]bool
}

type seenProgram struct {
	file      string
	installed bool
}

// readsOf returns the files and folders that a linker may read. They come from the words of its command, culink's
// variables, the variables of -keep-env, and the folders of PATH and LD_LIBRARY_PATH.
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

// program adds a program or a script, and the programs that a script starts, if the word is the absolute name of a file.
// If installed is set, it also adds the folder and the installation.
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
		real, _ := filepath.EvalSymlinks(file) // differs from to if a folder is a symbolic link
		for _, name := range []string{to, real} {
			if isProgram(name) {
				r.program(name, installed)
			}
		}
		return
	}
	r.script(file)
}

// namesInScript matches absolute names of files in a script.
var namesInScript = late.Regexp("/[^\\s'\"`$;&|()<>\\[\\]{},]+")

// script adds the interpreter of a script and the programs whose names occur in the script.
func (r *reading) script(file string) {
	const longest = 64 << 10 // scripts that start a linker are shorter
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

// startedBy returns the programs of a #! line: the first word, and the program that it finds if it is env.
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

// isProgram reports whether a name is that of an executable file. A script is not trusted: a key file whose name occurs
// in it must not become readable.
func isProgram(file string) bool {
	info, err := os.Stat(file)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// ofPrograms lists the folders of an installation that contain programs.
var ofPrograms = []string{"bin", "sbin", "libexec", "shims"}

// ofInstallations lists the parts of an installation that a linker may read. The prefix of the installation may contain
// other things too: it may be a home folder, or a hidden folder in one with secrets.
var ofInstallations = []string{"bin", "sbin", "libexec", "shims", "lib", "lib32", "lib64", "nvvm", "targets", "version", "versions", "plugins"}

// prefix adds the installation with a prefix.
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

// folder adds a folder, unless isShared reports that it is shared.
func (r *reading) folder(dir string) {
	if filepath.IsAbs(dir) && !r.isShared(dir) {
		r.files = append(r.files, filepath.Clean(dir))
	}
}

// isShared reports whether a folder is a home folder, contains one, or is writable by everybody.
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

// homes returns the home folders that may lie outside /home: that of the environment, and root's.
func homes() []string {
	dirs := []string{"/root"}
	if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		dirs = append(dirs, withoutLinks(home))
	}
	return dirs
}

// withoutLinks resolves the links in the name of a file that exists.
func withoutLinks(file string) string {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		return real
	}
	return filepath.Clean(file)
}
