package fuzz

import (
	"compress/gzip"
	"io"
	"os"
	"slices"
	"testing"
)

// mercurySeeds returns links with Mercury halves: one in which every input has a Mercury half, one for sm_110, which has
// reserved shared memory, and two with an input of machine code. "nvcc -rdc=true -lineinfo -cubin" compiled the cubins
// from the sources beside them.
func mercurySeeds(tb testing.TB) map[string][][]byte {
	links := map[string][][]byte{}
	for _, sm := range []string{"sm_100", "sm_110"} {
		links["mercury/"+sm] = [][]byte{mercuryCubin(tb, "a."+sm), mercuryCubin(tb, "b."+sm)}
	}
	const codeKind, sass = 48, 4
	for i := range 2 {
		data := slices.Clone(links["mercury/sm_100"])
		data[i] = slices.Clone(data[i])
		data[i][codeKind] = sass
		links["mercury/machine-code-"+[...]string{"first", "last"}[i]+"/sm_100"] = data
	}
	return links
}

func mercuryCubin(tb testing.TB, name string) []byte {
	tb.Helper()
	f, err := os.Open("testdata/mercury_" + name + ".cubin.gz")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}
