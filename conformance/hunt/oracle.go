package hunt

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// An oracle is a folder whose subfolder bin has NVIDIA's tools.
type oracle struct {
	dir string

	mu    sync.Mutex
	cache map[[32]byte][]byte // compiled units by text and flags
}

func newOracle(dir string) *oracle { return &oracle{dir: dir, cache: map[[32]byte][]byte{}} }

func (o *oracle) tool(name string) string { return filepath.Join(o.dir, "bin", name) }

// compile makes a relocatable cubin for a target, such as "90a", from PTX.
func (o *oracle) compile(ptx, target string, flags ...string) ([]byte, error) {
	key := sha256.Sum256([]byte(fmt.Sprint(target, flags) + ptx))
	o.mu.Lock()
	data, found := o.cache[key]
	o.mu.Unlock()
	if found {
		return data, nil
	}
	dir, err := os.MkdirTemp("", "hunt-ptx")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	in, out := filepath.Join(dir, "u.ptx"), filepath.Join(dir, "u.cubin")
	if err := os.WriteFile(in, []byte(ptx), 0o666); err != nil {
		return nil, err
	}
	args := append([]string{"-c", "-arch=sm_" + target, in, "-o", out}, flags...)
	var message bytes.Buffer
	cmd := exec.Command(o.tool("ptxas"), args...)
	cmd.Stdout, cmd.Stderr = &message, &message
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("ptxas: %w: %s", err, strings.ReplaceAll(message.String(), dir+"/", ""))
	}
	if data, err = os.ReadFile(out); err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.cache) > 4096 {
		clear(o.cache)
	}
	o.cache[key] = data
	return data, nil
}
