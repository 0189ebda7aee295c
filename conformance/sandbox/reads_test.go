package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A linker may read its folder, its installation, its interpreter and the programs that it names. It may not read the
// home folder, keys, or files that are not programs (CONF-061).
func TestReadsOf(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the linkers are scripts")
	}
	home := withoutLinks(t.TempDir())
	write := func(name, text string, mode os.FileMode) string {
		t.Helper()
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return file
	}
	key := write(".ssh/id", "key", 0o600)
	write(".cargo/credentials.toml", "key", 0o600)
	write("cuda/lib/libx.so", "", 0o666)
	tool := write("cuda/bin/nvlink", "\x7fELF\x00", 0o777)
	python := write(".pyenv/shims/python3", "#!/usr/bin/env bash\n", 0o777)
	write(".pyenv/libexec/pyenv", "", 0o777)
	plain := write("ld", "#!"+key+"\nexec "+tool+" \"$@\"\ncat "+key+"\n", 0o777)
	link := filepath.Join(home, "project", "ld")
	if err := os.MkdirAll(filepath.Dir(link), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(tool, link); err != nil {
		t.Fatal(err)
	}
	in := func(names ...string) (files []string) {
		for _, name := range names {
			files = append(files, filepath.Join(home, name))
		}
		return files
	}
	for _, c := range []struct {
		command, env, kept []string
		want               []string // at home
	}{
		{command: []string{tool}, want: in("cuda", "cuda/bin", "cuda/bin/nvlink")},
		{command: []string{link}, want: in("cuda", "cuda/bin", "cuda/bin/nvlink", "project", "project/ld")},
		{command: []string{plain}, want: in("cuda/bin/nvlink", "ld")},
		{command: []string{python, plain}, want: in(".pyenv/libexec", ".pyenv/shims", ".pyenv/shims/python3", "cuda/bin/nvlink", "ld")},
		{command: []string{write(".cargo/bin/wild", "", 0o777)}, want: in(".cargo/bin", ".cargo/bin/wild")},
		{env: []string{"PATH=" + home + ":" + home + "/cuda/bin:relative", "LD_LIBRARY_PATH=" + home + "/cuda/lib"}, want: in("cuda/bin", "cuda/lib")},
		{env: []string{"CULINK_PTXAS=" + tool, "OTHER=" + python}, want: in("cuda", "cuda/bin", "cuda/bin/nvlink")},
		{env: []string{"PREFIX=" + home + "/project", "KEY=" + key, "HOME=" + home}, kept: []string{"PREFIX", "KEY", "HOME"}, want: in("project")},
	} {
		got := slices.DeleteFunc(readsOf(c.command, c.env, c.kept, []string{home}), func(name string) bool { return !strings.HasPrefix(name, home) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, %q: %q, want %q", c.command, c.env, got, c.want)
		}
	}
}
