// Package repro reads and writes the file of --repro. The file contains one link, packed so that it can be
// repeated elsewhere (OPT-501).
//
// The file is a plain tar archive. Its first member, manifest, lists one item on each line. The items are the
// version of the format, the name of the linker, the arguments, the environment variables that act as options,
// the exit status, and the output files:
//
//	culink-repro 1
//	tool "nvlink"
//	arg "-arch=sm_90"
//	arg "a.cubin"
//	env "CULINK_KEEP_RELOCS" "1"
//	exit 0
//	output "a.out" 3f0c...
//
// The members stdout and stderr are the printed output. The members under files/ are the files that the link
// read, with the paths of the command line. The same link produces the same bytes: members have a fixed order,
// and neither times nor owners.
package repro

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/tar"
)

// A Package is one link: its inputs and its results.
type Package struct {
	Tool           string            // name in messages and notes: "nvlink"
	Args           []string          // the command line, without the program's name
	Environment    map[string]string // variables that act as options, if set (OPT-521)
	Inputs         map[string][]byte // by local path with forward slashes
	Exit           int
	Stdout, Stderr []byte
	Outputs        map[string]string // by local path: [Sum], or [Unchecked]
}

// Unchecked takes the place of the SHA-256 of an output that depends on the time or the folder of the link.
const Unchecked = "-"

// Sum returns the SHA-256 of the contents of an output in hexadecimal.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// outside is the folder in a package for files that were not in the link's folder.
const outside = "_root"

// Local returns the path of a file in a package. Paths below the working folder do not change. Other paths, and
// those with "..", are put into the folder _root by their absolute path. The empty path stays empty.
func Local(name string) string {
	slashed := filepath.ToSlash(name)
	up := slices.Contains(strings.Split(slashed, "/"), "..")
	if name == "" || !up && !filepath.IsAbs(name) && filepath.VolumeName(name) == "" {
		return name
	}
	if up || !filepath.IsAbs(name) {
		if full, err := filepath.Abs(name); err == nil {
			slashed = filepath.ToSlash(full)
		}
	}
	slashed = strings.ReplaceAll(slashed, ":", "")
	return outside + "/" + strings.TrimLeft(slashed, "/")
}

const (
	firstLine = "culink-repro 1"
	filesDir  = "files/"

	// maxBytes is the maximum size of a package. It makes sure that reading a damaged package ends.
	maxBytes = 4 << 30
)

// Write writes the package.
func (p *Package) Write(w io.Writer) error {
	var manifest bytes.Buffer
	fmt.Fprintf(&manifest, "%s\ntool %q\n", firstLine, p.Tool)
	for _, arg := range p.Args {
		fmt.Fprintf(&manifest, "arg %q\n", arg)
	}
	for _, name := range slices.Sorted(maps.Keys(p.Environment)) {
		fmt.Fprintf(&manifest, "env %q %q\n", name, p.Environment[name])
	}
	fmt.Fprintf(&manifest, "exit %d\n", p.Exit)
	for _, name := range slices.Sorted(maps.Keys(p.Outputs)) {
		fmt.Fprintf(&manifest, "output %q %s\n", path.Clean(name), p.Outputs[name])
	}
	err := errors.Join(tar.Write(w, "manifest", manifest.Bytes()), tar.Write(w, "stdout", p.Stdout), tar.Write(w, "stderr", p.Stderr))
	for _, name := range slices.Sorted(maps.Keys(p.Inputs)) {
		err = errors.Join(err, tar.Write(w, filesDir+path.Clean(name), p.Inputs[name]))
	}
	return errors.Join(err, tar.WriteEnd(w))
}

// Read reads a package. A path that leads out of the target folder is an error (OPT-502).
func Read(r io.Reader) (*Package, error) { return read(r, maxBytes) }

func read(r io.Reader, most int64) (*Package, error) {
	p := &Package{Environment: map[string]string{}, Inputs: map[string][]byte{}, Outputs: map[string]string{}}
	r = io.LimitReader(r, most)
	manifest := false
	for {
		member, data, err := tar.Read(r)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		name, isInput := strings.CutPrefix(member, filesDir)
		switch {
		case member == "manifest":
			manifest = true
			err = p.readManifest(string(data))
		case member == "stdout":
			p.Stdout = data
		case member == "stderr":
			p.Stderr = data
		case isInput:
			p.Inputs[name], err = data, checkLocal(name)
		default:
			err = fmt.Errorf("unknown member %q", member)
		}
		if err != nil {
			return nil, err
		}
	}
	if !manifest {
		return nil, errors.New("no manifest")
	}
	return p, nil
}

func (p *Package) readManifest(text string) error {
	text, ok := strings.CutPrefix(text, firstLine+"\n")
	if !ok {
		return fmt.Errorf("manifest: does not start with %q", firstLine)
	}
	for line := range strings.Lines(text) {
		key, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		var err error
		switch key {
		case "tool":
			if p.Tool, err = strconv.Unquote(rest); err == nil && strings.ContainsAny(p.Tool, `/\`) {
				err = errors.New("not a name")
			}
		case "arg":
			var arg string
			arg, err = strconv.Unquote(rest)
			p.Args = append(p.Args, arg)
		case "env":
			var name, value string
			if name, value, err = unquotePair(rest); err == nil {
				p.Environment[name], err = strconv.Unquote(value)
			}
		case "exit":
			p.Exit, err = strconv.Atoi(rest)
		case "output":
			var name, sum string
			if name, sum, err = unquotePair(rest); err == nil {
				p.Outputs[name], err = sum, checkLocal(name)
			}
		default:
			err = errors.New("unknown key")
		}
		if err != nil {
			return fmt.Errorf("manifest: %q: %w", line, err)
		}
	}
	return nil
}

// unquotePair splits a line into a quoted text and the rest.
func unquotePair(text string) (first, rest string, err error) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return "", "", err
	}
	first, err = strconv.Unquote(quoted)
	return first, strings.TrimPrefix(text[len(quoted):], " "), err
}

// checkLocal refuses a path that leads out of the folder or is not clean.
func checkLocal(name string) error {
	if !filepath.IsLocal(filepath.FromSlash(name)) || path.Clean(name) != name || name == "." {
		return fmt.Errorf("unsafe path %q", name)
	}
	return nil
}
