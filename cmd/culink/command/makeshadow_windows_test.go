package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/cmd/culink/shadow"
)

// On Windows, a shadow needs no right to make symbolic links. Its nvlink.exe is a copy of culink beside a file with the
// release (OPT-505).
func TestMakeShadowOnWindows(t *testing.T) {
	toolkit, dir := t.TempDir(), filepath.Join(t.TempDir(), "deep", "shadow")
	files := []string{`bin\nvcc.exe`, `bin\nvlink.exe`, `bin\crt\link.stub`, `include\cuda.h`, `lib\x64\cudart_static.lib`, `nvvm\bin\nvvm64_40_0.dll`, `version.json`}
	for _, name := range files {
		write(t, filepath.Join(toolkit, name), []byte(name))
	}
	var stdout, stderr strings.Builder
	args := []string{"culink", "--make-shadow", dir, "--cuda-path", toolkit, "--toolkit", "13.5.37", "--advice"}
	if exit := run(t.Context(), args, &stdout, &stderr); exit != 0 || !strings.Contains(stdout.String(), filepath.Join(dir, "bin", "nvcc")) {
		t.Fatalf("exit %d, %s%s", exit, &stdout, &stderr)
	}
	nvlink := filepath.Join(dir, "bin", "nvlink.exe")
	for _, name := range files {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if old := string(data) == name; err != nil || old != (name != `bin\nvlink.exe`) {
			t.Errorf("%s: %d bytes, %v", name, len(data), err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(toolkit, `bin\nvlink.exe`)); err != nil || string(data) != `bin\nvlink.exe` {
		t.Errorf("the toolkit's nvlink has changed: %v", err)
	}
	for _, program := range []string{nvlink, strings.ToUpper(nvlink)} {
		if release, file := shadow.Release(program), shadow.AdviceFile(program); release != "13.5.37" || !strings.EqualFold(file, shadow.AdviceIn(dir)) {
			t.Errorf("%s stands in for %q and collects in %q", program, release, file)
		}
	}
	if other := filepath.Join(toolkit, `bin\nvlink.exe`); shadow.Release(other)+shadow.AdviceFile(other) != "" {
		t.Errorf("an nvlink outside a shadow stands in for %q", shadow.Release(other))
	}
}
