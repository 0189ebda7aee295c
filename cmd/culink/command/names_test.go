package command

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/culink/culink/linker/cubintext"
)

// Symbol names with newlines and escape sequences cannot add lines to the output of --explain and --map (DIAG-503).
func TestForgedSymbols(t *testing.T) {
	const name = "k\nforged: 0x10\x1b[2J\u202e"
	text := fmt.Sprintf("cutext 1\nheader sm=90\nsection .shstrtab\nsection .strtab\nsection .symtab\n\tsymbol k global func .text.k other=entry\n"+
		"\tsymbol %[1]s global data .nv.global other=global size=4\nsection .note.nv.cuinfo\n\tcuinfo\nsection .nv.info\n\tattr REGCOUNT @k 8\n"+
		"section .text.k\n\tzero 128\nsection .nv.global size=4\n", strconv.Quote(name))
	data, err := cubintext.Parse("forged", text)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	write(t, "a.cubin", data)
	var stdout, stderr bytes.Buffer
	exit := run(t.Context(), []string{"nvlink", "-arch=sm_90", "a.cubin", "-o", "out", "--explain", name, "--map", "map"}, &stdout, &stderr)
	if exit != 0 {
		t.Fatal(stderr.String())
	}
	for what, text := range map[string]string{"--explain": stdout.String(), "--map": read(t, "map")} {
		if strings.ContainsAny(text, "\x1b\u202e") || strings.Contains(text, "\nforged") || !strings.Contains(text, `k\nforged`) {
			t.Errorf("%s: %q", what, text)
		}
	}
}
