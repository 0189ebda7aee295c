package command

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/linker/arch"
)

// run runs the command in this process.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	return new(command).run(ctx, args, stdout, stderr)
}

// A recorded is a command line of linker/option/testdata together with nvlink's result.
type recorded struct {
	Args   []string
	Files  map[string]string
	Exit   int
	Stdout string
	Stderr string
	Note   *string
}

const (
	optionData = "../../../linker/option/testdata"
	recording  = optionData + "/commandlines.jsonl"
)

// On every recorded command line, culink has the same exit status and messages as nvlink. It writes a cubin exactly if
// nvlink did.
func TestRecordedCommandLines(t *testing.T) {
	data, err := os.ReadFile(recording)
	if err != nil {
		t.Fatal(err)
	}
	k1, k2 := testCubin(t, "k1.cubin"), testCubin(t, "k2.cubin")
	for line := range bytes.Lines(data) {
		var want recorded
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		t.Run(strings.Join(want.Args, " "), func(t *testing.T) {
			t.Chdir(t.TempDir())
			write(t, "k1.cubin", k1)
			write(t, "k2.cubin", k2)
			write(t, filepath.Join("nv", "lib64", "libnvvm.so"), nil)
			write(t, filepath.Join("d", "nothing"), nil)
			for name, text := range want.Files {
				write(t, name, []byte(text))
			}
			var stdout, stderr bytes.Buffer
			exit := run(t.Context(), append([]string{"/opt/bin/nvlink"}, want.Args...), &stdout, &stderr)

			var said strings.Builder
			for line := range strings.Lines(stderr.String()) {
				said.WriteString(strings.TrimPrefix(line, "nvlink "))
			}
			if strings.Contains(said.String(), "is not supported yet") {
				t.Skip(said.String())
			}
			if exit != want.Exit || said.String() != want.Stderr {
				t.Errorf("exit status %d, want %d\nstderr %q\nwant   %q", exit, want.Exit, said.String(), want.Stderr)
			}
			if (stdout.Len() > 0) != (want.Stdout != "") {
				t.Errorf("stdout %q, want %s", stdout.String(), want.Stdout)
			}
			if want.Stdout == "version" && !strings.Contains(stdout.String(), "\n"+arch.Default.Release+"\n") {
				t.Errorf("version is %q, without the line %q", stdout.String(), arch.Default.Release)
			}
			if _, err := os.Stat("o.cubin"); (err == nil) != (want.Note != nil) {
				t.Errorf("o.cubin: %v; nvlink wrote one: %v", err, want.Note != nil)
			}
		})
	}
}

func testCubin(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(optionData, name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func write(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
