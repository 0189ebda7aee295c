package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/commandline"
)

func readText(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The files for releases, for checks and for issues have the required contents and refer to existing files.
func TestReleaseFiles(t *testing.T) {
	for name, wants := range map[string][]string{
		".goreleaser.yaml":                       {"goos: [linux, darwin, windows]", "goarch: [amd64, arm64]", "CGO_ENABLED=0", "checksum:", "sboms:", "main: ./cmd/culink", "main: ./cmd/cuconform", "CHANGELOG.md"},
		".github/workflows/checks.yml":           {"pull_request:", "push:", "[ubuntu-latest, macos-latest, windows-latest]", "go test ./...", "go run ./cmd/cuconform run -waivers culink", ".ci/run"},
		".github/workflows/release.yml":          {`tags: ["v*"]`, "goreleaser/goreleaser-action", "download-syft"},
		".github/ISSUE_TEMPLATE/link.yml":        {"--repro link.tar", "required: true", "culink --version"},
		"action.yml":                             {".github/conformance.sh", "actions/upload-artifact", "if: always()"},
		"Containerfile":                          {"./cmd/culink ./cmd/cuconform", "LICENSE", `ENTRYPOINT ["cuconform"]`},
		"CHANGELOG.md":                           {"## Not released yet"},
		".github/ISSUE_TEMPLATE/conformance.yml": {"-run CASE -v"},
	} {
		text := readText(t, name)
		for _, want := range wants {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q", name, want)
			}
		}
	}
	// The cuconform commands in these files exist.
	commands := regexp.MustCompile(`go run \./cmd/cuconform ([a-z]+)((?: -[a-z]+)*)`)
	for _, name := range []string{".goreleaser.yaml", ".github/workflows/checks.yml"} {
		for _, m := range commands.FindAllStringSubmatch(readText(t, name), -1) {
			status, help := runCommand(t, "help", m[1])
			if status != commandline.OK {
				t.Errorf("%s: no command %s", name, m[1])
			}
			for _, flag := range strings.Fields(m[2]) {
				if !strings.Contains(help, "\n  "+flag+" ") {
					t.Errorf("%s: %s has no %s", name, m[1], flag)
				}
			}
		}
	}
}

// The script of the GitHub action judges a linker, keeps the reports, and fails if cuconform does.
func TestAction(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the script of the action needs a Unix shell")
	}
	reports := filepath.Join(t.TempDir(), "reports of a run")
	summary := filepath.Join(t.TempDir(), "summary.md")
	cmd := exec.Command("../../.github/conformance.sh")
	cmd.Env = append(os.Environ(), "LINKER="+lazyLinker(t), "ARGUMENTS=-sm 80 -run basic/one-* -facet exit,file", "REPORTS="+reports, "GITHUB_STEP_SUMMARY="+summary)
	out, err := cmd.CombinedOutput()
	if status := cmd.ProcessState.ExitCode(); status != commandline.Differs {
		t.Fatalf("status %d, %v\n%s", status, err, out)
	}
	for _, name := range []string{"report.html", "report.json", "report.xml", "report.txt"} {
		if _, err := os.Stat(filepath.Join(reports, name)); err != nil {
			t.Error(err)
		}
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "\nFAIL: differing from nvlink 13.0.88: 1 of 1 link\n") || strings.Contains(string(text), "FAIL basic/") {
		t.Errorf("the summary is\n%s", text)
	}
}
