package confine

import (
	"bufio"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Both ways to list descendants find children of children, in any session (CONF-064).
func TestDescendants(t *testing.T) {
	cmd := exec.Command("sh", "-c", `exec 3<&0; sh -c 'sh -c "echo \$\$; read x" <&3 & echo $$; wait' & echo $$; cat`)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skip("no shell: ", err)
	}
	defer cmd.Wait()
	defer in.Close()
	lines := bufio.NewReader(out)
	for range 3 {
		line, err := lines.ReadString('\n')
		pid, _ := strconv.Atoi(strings.TrimSpace(line))
		if err != nil || pid == 0 {
			t.Fatalf("%q, %v", line, err)
		}
		for name, list := range map[string][]int{"descendants": descendants(), "descendantsOfAll": descendantsOfAll()} {
			if !slices.Contains(list, pid) {
				t.Errorf("%s lacks %d: %v", name, pid, list)
			}
		}
	}
	in.Close()
	_, _ = io.Copy(io.Discard, lines)
}

func BenchmarkDescendants(b *testing.B) {
	for name, list := range map[string]func() []int{"children": descendants, "all": descendantsOfAll} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				list()
			}
		})
	}
}
