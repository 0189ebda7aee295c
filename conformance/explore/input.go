package explore

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/versus"
	"github.com/culink/culink/fuzz/craft"
	"github.com/culink/culink/linker/cubintext"
)

// An Input is a link in a form that can be changed: command lines as words, cubins as lines of their text form, and
// containers as lists of members. A change is made on a copy (clone).
type Input struct {
	SM         string               // "90a"
	Steps      [][]string           // arguments; a step can read the outputs of earlier steps
	Texts      map[string][]string  // lines of cubins, by file name
	Files      map[string][]byte    // other files
	Containers map[string]Container // files that consist of other files

	built map[string][]byte // cubins built from Texts
}

// A Container is an archive or a fat binary.
type Container struct {
	Kind    string // "archive", "fatbin", "lz4" or "zstd": the last two are fat binaries with that compression
	Members []string
}

// errTooLarge reports that an input has grown too large to be worth linking.
var errTooLarge = errors.New("the input is too large")

// Limits of an input. A larger input takes longer to link than ten small ones.
const (
	mostLines = 3000
	mostFiles = 10
	mostBytes = 256 << 10
	mostSteps = 3
)

// newInput makes an input from files and command lines.
func newInput(sm string, files attempt.Files, steps [][]string) *Input {
	in := &Input{SM: sm, Texts: map[string][]string{}, Files: map[string][]byte{}, Containers: map[string]Container{}, built: map[string][]byte{}}
	for _, step := range steps {
		in.Steps = append(in.Steps, slices.Clone(step))
	}
	for name, data := range files {
		if text := textOf(data); text != nil {
			in.Texts[name], in.built[name] = text, data
		} else {
			in.Files[name] = data
		}
	}
	return in
}

// textOf returns the lines of a cubin's text form, or nil if data is not a cubin.
func textOf(data []byte) []string {
	if !isELF(data) {
		return nil
	}
	text := cubintext.Format(data)
	if strings.Contains(text, "\nraw\n") {
		return nil
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}

// clone copies everything that a mutation may write to. A mutation replaces lines and never edits them, so the copy
// shares them.
func (in *Input) clone() *Input {
	c := *in
	c.Steps = slices.Clone(in.Steps)
	c.Texts, c.Files, c.Containers, c.built = maps.Clone(in.Texts), maps.Clone(in.Files), maps.Clone(in.Containers), maps.Clone(in.built)
	return &c
}

// setText replaces the lines of a cubin.
func (in *Input) setText(name string, lines []string) {
	in.Texts[name] = lines
	delete(in.built, name)
}

// has reports whether a file of that name exists before the first step.
func (in *Input) has(name string) bool {
	_, isText := in.Texts[name]
	_, isFile := in.Files[name]
	_, isMade := in.Containers[name]
	return isText || isFile || isMade
}

// names returns the names of the cubins, in order.
func (in *Input) names() []string { return slices.Sorted(maps.Keys(in.Texts)) }

// build makes the files for the first step.
func (in *Input) build() (attempt.Files, error) {
	files := attempt.Files(maps.Clone(in.Files))
	size, lines := 0, 0
	for _, name := range in.names() {
		lines += len(in.Texts[name])
		if lines > mostLines || in.built[name] == nil && slices.ContainsFunc(in.Texts[name], isLarge) {
			return nil, errTooLarge
		}
		if in.built[name] == nil {
			data, err := cubintext.Parse(name, strings.Join(in.Texts[name], "\n")+"\n")
			if err != nil {
				return nil, err
			}
			in.built[name] = data
		}
		files[name] = in.built[name]
		size += len(files[name])
	}
	if size > mostBytes || len(files) > mostFiles || len(in.Steps) > mostSteps {
		return nil, errTooLarge
	}
	for _, name := range slices.Sorted(maps.Keys(in.Containers)) {
		files[name] = in.Containers[name].build(in.SM, files)
	}
	for _, c := range in.Containers {
		for _, member := range c.Members {
			if !in.isNamed(member) {
				delete(files, member)
			}
		}
	}
	return files, nil
}

// places lists the fields of the text form that determine the size of a file.
var places = []string{"offset=", "align=", "length=", "sectionsat=", "segmentsat="}

// isLarge reports whether a line alone makes a file too large.
func isLarge(line string) bool {
	words := strings.Fields(line)
	for i, w := range words {
		if i == 1 && (words[0] == "zero" || words[0] == "at") {
			w = places[0] + w
		}
		for _, p := range places {
			if value, ok := strings.CutPrefix(w, p); ok {
				if n, err := strconv.ParseUint(value, 0, 64); err == nil && n > mostBytes {
					return true
				}
			}
		}
	}
	return false
}

// isNamed reports whether a command line names a file.
func (in *Input) isNamed(name string) bool {
	return slices.ContainsFunc(in.Steps, func(step []string) bool { return slices.Contains(step, name) })
}

// build makes a container of files.
func (c Container) build(sm string, files attempt.Files) []byte {
	if c.Kind == "archive" {
		var members []craft.Member
		for _, name := range c.Members {
			members = append(members, craft.Member{Name: path.Base(name) + "/", Data: files[name]})
		}
		return craft.Archive(members...)
	}
	number, _ := strconv.ParseUint(strings.TrimRight(sm, "af"), 10, 32)
	var entries []craft.Entry
	for _, name := range c.Members {
		e := craft.Entry{Kind: 2, Arch: uint32(number), Payload: files[name]}
		if c.Kind != "fatbin" && len(e.Payload) > 0 {
			e.Compress = c.Kind
		}
		entries = append(entries, e)
	}
	return craft.Fatbin(entries...)
}

// steps returns the links of the input. The output of a step is the file that -o names.
func (in *Input) steps() []versus.Step {
	var list []versus.Step
	for _, words := range in.Steps {
		list = append(list, versus.Step{Args: words, Output: outputOf(words)})
	}
	return list
}

// outputOf returns the output file of a command line.
func outputOf(words []string) string {
	for i, w := range words {
		if w == "-o" && i+1 < len(words) {
			return words[i+1]
		}
	}
	return "a.out"
}

// encode returns the stored form of an input, and a name that depends on the contents.
func (in *Input) encode() (name string, data []byte, err error) {
	if data, err = json.Marshal(in); err != nil {
		return "", nil, err
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:10]) + ".json", data, nil
}

// decode reads the form that encode returns.
func decode(data []byte) (*Input, error) {
	in := &Input{built: map[string][]byte{}}
	return in, json.Unmarshal(data, in)
}
