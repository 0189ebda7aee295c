package hunt

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// fakeCorpus returns a corpus of three cases: two with files and options, of which one is damaged, and one whose command
// line runs a compiler.
func fakeCorpus() fstest.MapFS {
	corpus := fstest.MapFS{}
	for id, step := range map[string]string{
		"a/one":      "-arch=sm_$SM -g -kernels-used=k --cpu-arch X86_64 a.cubin dir/b.o -o out.cubin",
		"a/two":      "-arch=sm_$SM c.cubin -lc -o out.cubin",
		"a/compiled": "-arch=sm_$SM -lto d.cubin -o out.cubin",
		"damaged/x":  "-arch=sm_$SM e.cubin -o out.cubin",
	} {
		put := func(name, text string) { corpus[id+"/"+name] = &fstest.MapFile{Data: []byte(text)} }
		put("case.txt", "title a case\nrule CONF-087\ntarget sm_80\nstep nvlink "+step+"\n")
		words := strings.Fields(strings.ReplaceAll(step, "$SM", "80"))
		put("sm_80/1.argv", strings.Join(words, "\n")+"\n")
		put("sm_80/1.exit", "0\n")
		for _, word := range words {
			if strings.HasSuffix(word, ".cubin") && word != "out.cubin" || strings.HasSuffix(word, ".o") {
				put("sm_80/in/"+word, "file "+word)
			}
		}
	}
	return corpus
}

// A link of corpus files has files of the cases under new names, and options that consist of one word. The same seed
// makes the same links (CONF-087).
func TestLinksOfCorpusFiles(t *testing.T) {
	cases, err := readCases(fakeCorpus(), "80")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range cases {
		for _, m := range c.files {
			all = append(all, m.file)
		}
		all = append(all, c.options...)
	}
	if want := []string{"a.cubin", "dir/b.o", "-kernels-used=k", "c.cubin"}; !slices.Equal(all, want) {
		t.Errorf("files and options %q, want %q", all, want)
	}
	if _, err := readCases(fakeCorpus(), "90"); err == nil {
		t.Error("a target without files is accepted")
	}
	h := fakeHunter(t, "good")
	h.cases, h.chains = map[int][]*caseFiles{80: cases}, 20
	packed, mixed := 0, 0
	for n := range 200 {
		a, b := h.trial(80, n), h.trial(80, n)
		files, err := a.files(h.oracle)
		if err != nil || fmt.Sprint(a.steps()) != fmt.Sprint(b.steps()) {
			t.Fatalf("trial %d: %v and %v, %v", n, a.steps(), b.steps(), err)
		}
		words := a.steps()[len(a.steps())-1].Args
		for _, name := range a.order {
			if in := slices.Contains(words, name); in == (slices.Contains(a.archive, name) || slices.Contains(a.partial, name)) {
				t.Fatalf("trial %d: %s in %q: %v", n, name, words, in)
			}
		}
		for _, name := range a.archive {
			if !strings.Contains(string(files[archiveName]), string(files[name])) {
				t.Fatalf("trial %d: %s is not a member of the archive", n, name)
			}
		}
		packed += len(a.archive)
		if strings.Contains(fmt.Sprint(a.order), "c.cubin") && strings.Contains(fmt.Sprint(a.order), "a.cubin") {
			mixed++
		}
	}
	if packed == 0 || mixed == 0 {
		t.Errorf("%d members of archives, %d links of files of both cases", packed, mixed)
	}
}
