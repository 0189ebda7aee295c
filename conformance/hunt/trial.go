package hunt

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/conformance/attempt"
	"github.com/culink/culink/conformance/generate"
	"github.com/culink/culink/conformance/versus"
	"github.com/culink/culink/fuzz/craft"
)

// A trial is one random link: its inputs, their order, and its options. Seed and number determine it.
type trial struct {
	number  int
	sm      int
	arch    string             // "sm_90"
	program *generate.Program  // nil: only units of the pool
	by      map[string]*oracle // tools that assemble a unit, by unit; otherwise the hunter's tools assemble it
	pool    []*member
	order   []string // file names of all inputs
	partial []string // files that a first link joins with -r; its output becomes the last input
	archive []string // files that become members of an archive; the archive becomes the last input
	options []string // options of the last link
	first   []string // options of the first link

	hosts   map[string]*host // containers of inputs, by file
	library string           // name of the archive; empty: archiveName
	search  bool             // -l finds the archive
}

func (h *hunter) trial(sm, number int) *trial {
	rng := rand.New(rand.NewPCG(h.seed, uint64(sm)<<32|uint64(number)))
	t := &trial{number: number, sm: sm, arch: fmt.Sprintf("sm_%d", sm), by: map[string]*oracle{}}
	if cases := h.cases[sm]; cases != nil {
		t.addFiles(rng, cases)
	} else {
		h.addUnits(t, rng)
	}
	rng.Shuffle(len(t.order), func(i, j int) { t.order[i], t.order[j] = t.order[j], t.order[i] })
	h.addOptions(t, rng)
	if h.hosts != nil {
		t.addHosts(rng, h.hosts)
	}
	return t
}

// addOptions adds options to a trial, and at times a first link with -r, with options of its own.
func (h *hunter) addOptions(t *trial, rng *rand.Rand) {
	for _, o := range h.options {
		if rng.IntN(100) < o.weight {
			t.options = append(t.options, o.draw(rng)...)
		}
	}
	if rng.IntN(100) < h.chains && len(t.order) > 1 && len(t.archive) == 0 {
		t.partial = slices.Clone(t.order[:1+rng.IntN(len(t.order)-1)])
		for _, o := range h.options {
			if rng.IntN(200) < o.weight && o.name != "r" {
				t.first = append(t.first, o.draw(rng)...)
			}
		}
	}
}

// addUnits adds a random program, units of the pool, or both to a trial.
func (h *hunter) addUnits(t *trial, rng *rand.Rand) {
	pool := h.pools[t.sm]
	from := rng.IntN(100)
	if h.units > 0 && (len(pool) == 0 || from < 65) {
		t.program = generate.Random(rng, generate.Config{SM: t.sm, Version: h.ptx, MaxUnits: h.units, Only: h.constructs})
		for _, u := range t.program.Units {
			t.order = append(t.order, u.Name+".cubin")
			if n := len(h.assemblers); n > 0 {
				t.by[u.Name] = h.assemblers[rng.IntN(n)]
			}
		}
	}
	if len(pool) > 0 && (from >= 55 || h.units == 0) {
		t.pool = draw(rng, pool)
		for _, m := range t.pool {
			t.order = append(t.order, m.file)
		}
	}
}

// An option is a linker option with its probability in percent and its possible values.
type option struct {
	name   string
	weight int
	draw   func(*rand.Rand) []string
}

func plainOption(name string) func(*rand.Rand) []string {
	return func(*rand.Rand) []string { return []string{name} }
}

func valueOption(name string, values ...string) func(*rand.Rand) []string {
	return func(rng *rand.Rand) []string { return []string{name + "=" + values[rng.IntN(len(values))]} }
}

// linkOptions lists the options that affect a link, with their probabilities.
var linkOptions = []option{
	{"r", 8, plainOption("-r")},
	{"g", 8, plainOption("-g")},
	{"v", 12, plainOption("-v")},
	{"preserve-relocs", 6, plainOption("-preserve-relocs")},
	{"force-rela", 4, plainOption("-force-rela")},
	{"kernels-used", 6, valueOption("-kernels-used", "k", "1", "2", "3,4", "5", "zzz", "7,8,9", "kf", "Pi")},
	{"variables-used", 2, valueOption("-variables-used", "g", "1", "zzz", "table")},
	{"Werror", 3, plainOption("-Werror")},
	{"w", 3, plainOption("-w")},
	{"suppress-stack-size-warning", 4, plainOption("-suppress-stack-size-warning")},
	{"extrawarn", 5, plainOption("-extrawarn")},
	{"maxrregcount", 2, valueOption("-maxrregcount", "32", "64", "24")},
	{"report-arch", 3, plainOption("-report-arch")},
	{"dump-callgraph", 3, plainOption("-dump-callgraph")},
	{"keep-system-libraries", 2, plainOption("-keep-system-libraries")},
	{"use-host-info", 2, plainOption("-use-host-info")},
	{"ignore-host-info", 2, plainOption("-ignore-host-info")},
	{"suppress-debug-info", 1, plainOption("-suppress-debug-info")},
	{"cpu-arch", 1, valueOption("-cpu-arch", "X86_64")},
	{"allow-undefined-globals", 2, plainOption("-allow-undefined-globals")},
	{"verbose-tkinfo", 2, valueOption("-verbose-tkinfo", "true")},
}

// partialOutput is the name of the output of a trial's first link with -r. archiveName is the name of a trial's archive.
const (
	partialOutput = "partial.cubin"
	archiveName   = "archive.a"
)

// steps returns the links of a trial in order. If there are two, both linkers get the reference's output of the first,
// so that one difference is not reported twice.
func (t *trial) steps() []versus.Step {
	inputs, list := t.order, []versus.Step(nil)
	if len(t.partial) > 0 {
		args := append([]string{"-arch=" + t.arch, "-r"}, t.first...)
		list = append(list, versus.Step{Args: append(t.named(args, t.partial), "-o", partialOutput), Output: partialOutput})
		inputs = replaced(t.order, t.partial, partialOutput)
	}
	if len(t.archive) > 0 {
		inputs = replaced(t.order, t.archive, t.libraryWords()...)
	}
	args := append([]string{"-arch=" + t.arch}, t.options...)
	return append(list, versus.Step{Args: append(t.named(args, inputs), "-o", "out.cubin"), Output: "out.cubin"})
}

// replaced removes parts from the inputs and adds the words for the file that contains them.
func replaced(inputs, parts []string, words ...string) []string {
	rest := slices.DeleteFunc(slices.Clone(inputs), func(s string) bool { return slices.Contains(parts, s) })
	return append(rest, words...)
}

// named appends the names under which inputs are linked.
func (t *trial) named(args, inputs []string) []string {
	for _, file := range inputs {
		args = append(args, t.nameOf(file))
	}
	return args
}

// libraryFile returns the name of the archive.
func (t *trial) libraryFile() string { return cmp.Or(t.library, archiveName) }

// files returns all inputs. It compiles the units of the program.
func (t *trial) files(o *oracle) (attempt.Files, error) {
	files := attempt.Files{}
	if t.program != nil {
		for _, u := range t.program.Units {
			ptx := t.program.PTX(u)
			data, err := cmp.Or(t.by[u.Name], o).compile(ptx, strconv.Itoa(t.sm), u.Flags()...)
			if err != nil {
				return nil, &compileError{unit: u.Name, ptx: ptx, err: err}
			}
			files[u.Name+".cubin"] = data
		}
	}
	for _, m := range t.pool {
		files[m.file] = m.data
	}
	t.putIntoHosts(files)
	var members []craft.Member
	for _, file := range t.archive {
		name := t.nameOf(file)
		members = append(members, craft.Member{Name: name + "/", Data: files[name]})
	}
	if members != nil {
		files[t.libraryFile()] = craft.Archive(members...)
	}
	return files, nil
}

// A compileError reports a generated unit that ptxas rejects.
type compileError struct {
	unit, ptx string
	err       error
}

func (e *compileError) Error() string { return e.unit + ": " + e.err.Error() }

// script returns a shell script that links the inputs of the trial with both linkers. The other one has environment
// variables.
func (t *trial) script(reference, other string, variables []string) string {
	var b strings.Builder
	b.WriteString("#!/bin/bash\n# Links the inputs beside this file with the reference and with the other linker.\ncd \"$(dirname \"$0\")\"\n")
	fmt.Fprintf(&b, "REFERENCE=${REFERENCE:-%s}\nOTHER=${OTHER:-%s}\nDIFF=${DIFF:-cuconform diff}\n", reference, other)
	for _, s := range t.steps() {
		line := strings.Join(quoted(s.Args), " ")
		command := strings.Join(slices.Concat(variables, []string{"exec -a nvlink $OTHER", line}), " ")
		name := strings.TrimSuffix(s.Output, ".cubin")
		fmt.Fprintf(&b, "(%s); echo exit $?\nmv -f %s %s.other.cubin\n", command, s.Output, name)
		fmt.Fprintf(&b, "(exec -a nvlink $REFERENCE %s); echo exit $?\ncp -f %s %s.reference.cubin\n", line, s.Output, name)
		fmt.Fprintf(&b, "$DIFF %s.reference.cubin %s.other.cubin\n", name, name)
	}
	return b.String()
}

func quoted(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a
		if strings.ContainsAny(a, " '$\"") {
			out[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return out
}
