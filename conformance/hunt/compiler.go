package hunt

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A compiler makes relocatable cubins from CUDA sources with nvcc. It stores each cubin under a name that depends on the
// source, and beside it the list of files that the cubin depends on, each with a hash. If one of these files changes, it
// compiles the source again.
type compiler struct {
	oracle *oracle
	args   []string // arguments of nvcc, in addition to those of every program
	dir    string   // folder of the stored results
}

// A refusal is a source that nvcc does not compile for a target.
type refusal struct{ source, messages string }

func (r *refusal) Error() string { return r.source + ": " + r.messages }

// headline returns the first error among the messages of nvcc, without its position.
func (r *refusal) headline() string {
	for _, line := range strings.Split(r.messages, "\n") {
		if _, message, ok := strings.Cut(line, "error"); ok {
			return strings.TrimLeft(message, " :")
		}
	}
	return strings.TrimSpace(r.messages)
}

// refusedMark is the suffix of the stored messages for a source that does not compile.
const refusedMark = ".refused"

// compile returns the cubin of a source for a target, such as "100a".
func (c *compiler) compile(source, target string) ([]byte, error) {
	text, err := os.ReadFile(source)
	if err != nil {
		return nil, err
	}
	args := append([]string{"-w", "-std=c++17", "-rdc=true", "-cubin", "-arch=sm_" + target}, c.args...)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%q\n%q\n%s", c.oracle.dir, args, source, text))
	key := filepath.Join(c.dir, hex.EncodeToString(sum[:]))
	if list, err := os.ReadFile(key + ".files"); err == nil && unchanged(list) {
		if messages, err := os.ReadFile(key + refusedMark); err == nil {
			return nil, &refusal{source, string(messages)}
		}
		if data, err := os.ReadFile(key); err == nil {
			return data, nil
		}
	}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(c.dir, "work")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	made, needed := filepath.Join(work, "out.cubin"), filepath.Join(work, "out.d")
	cmd := exec.Command(c.oracle.tool("nvcc"), append(args, "-MD", "-MF", needed, "-o", made, source)...)
	messages, err := cmd.CombinedOutput()
	rule, ruleErr := os.ReadFile(needed)
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		if ruleErr == nil { // without a rule the dependencies are unknown, for example because a header is missing
			if err := c.keep(key+refusedMark, messages, key, prerequisites(rule)); err != nil {
				return nil, err
			}
		}
		return nil, &refusal{source, string(messages)}
	case err != nil:
		return nil, err
	case ruleErr != nil:
		return nil, ruleErr
	}
	data, err := os.ReadFile(made)
	if err != nil {
		return nil, err
	}
	if err := os.Remove(key + refusedMark); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return data, c.keep(key, data, key, prerequisites(rule))
}

// keep stores a result, then the list of the files that it depends on.
func (c *compiler) keep(name string, data []byte, key string, files []string) error {
	if err := os.WriteFile(name, data, 0o666); err != nil {
		return err
	}
	var list bytes.Buffer
	for _, file := range files {
		fmt.Fprintf(&list, "%s %s\n", hashOf(file), file)
	}
	return os.WriteFile(key+".files", list.Bytes(), 0o666)
}

// prerequisites returns the files after the colon of a make rule.
func prerequisites(rule []byte) []string {
	_, list, _ := strings.Cut(strings.ReplaceAll(string(rule), "\\\n", " "), ":")
	return strings.Fields(list)
}

// unchanged reports whether all files of a list still have the same contents.
func unchanged(list []byte) bool {
	for line := range strings.Lines(string(list)) {
		sum, file, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if hashOf(file) != sum {
			return false
		}
	}
	return true
}

// hashOf returns the hash of a file's contents, or the empty string if the file cannot be read.
func hashOf(file string) string {
	data, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
