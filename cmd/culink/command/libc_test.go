package command

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The two commands need no C library, even if they are built with a plain "go build" on a machine with a C compiler. No
// package in them uses cgo.
func TestNoLibc(t *testing.T) {
	if testing.Short() {
		t.Skip("asks go list")
	}
	list := exec.Command("go", "list", "-deps", "-f", "{{if .CgoFiles}}{{.ImportPath}}{{end}}", "../../culink", "../../cuconform")
	list.Env = append(os.Environ(), "CGO_ENABLED=1", "GOOS=linux", "GOARCH=amd64", "GOFLAGS=-mod=readonly")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	if packages := strings.Fields(string(out)); len(packages) > 0 {
		t.Errorf("cgo comes with %q: find who imports it with go list -deps", packages)
	}
}
