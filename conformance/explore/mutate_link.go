package explore

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Mutations of a link as a whole: its files, their order, options, containers and chains.

// options lists options that affect a link. A mutation may also add an option that occurs in another input.
var options = []string{
	"-r", "-g", "-v", "-preserve-relocs", "-force-rela", "-Werror", "-w", "-suppress-stack-size-warning", "-extrawarn", "-report-arch",
	"-dump-callgraph", "-keep-system-libraries", "-use-host-info", "-ignore-host-info", "-suppress-debug-info", "-allow-undefined-globals",
	"-verbose-tkinfo=true", "-kernels-used=k", "-kernels-used=_Z", "-kernels-used=zzz", "-variables-used=g", "-variables-used=zzz", "-cpu-arch=X86_64", "-maxrregcount=32",
	"-disable-infos", "-disable-warnings", "-suppress-arch-warning", "-dump-callgraph-no-demangle", "-reserve-null-pointer", "-dont-reserve-null-pointer",
	"-enable-extended-smem", "-disable-smem-reservation", "-link-as-tools-patch", "-device-stack-protector=true",
}

// last returns the index of the last step.
func last(in *Input) int { return len(in.Steps) - 1 }

// inputsOf returns the positions of the input files in a command line.
func inputsOf(in *Input, words []string) (places []int) {
	for i, w := range words {
		if in.has(w) || i > 0 && words[i-1] != "-o" && strings.HasSuffix(w, ".cubin") && !strings.HasPrefix(w, "-") {
			places = append(places, i)
		}
	}
	return places
}

// setStep replaces the arguments of a step.
func (in *Input) setStep(at int, words []string) { in.Steps[at] = words }

// splice adds a cubin of another input to the last link.
func (m *mutator) splice(in, other *Input) bool {
	name, lines, ok := m.text(other)
	if !ok || len(in.Texts)+len(in.Files) >= mostFiles {
		return false
	}
	as := in.freshName(path.Base(name))
	in.setText(as, lines)
	words := in.Steps[last(in)]
	at := len(words)
	if places := inputsOf(in, words); len(places) > 0 {
		at = places[m.IntN(len(places))] + m.IntN(2)
	}
	in.setStep(last(in), slices.Insert(slices.Clone(words), at, as))
	return true
}

// freshName returns a file name that is not in use.
func (in *Input) freshName(name string) string {
	for i := 0; ; i++ {
		fresh := fmt.Sprintf("x%d_%s", i, strings.TrimLeft(name, "x0123456789_"))
		if !in.has(fresh) {
			return fresh
		}
	}
}

// dropFile removes an input from a link.
func (m *mutator) dropFile(in, _ *Input) bool {
	at := m.IntN(len(in.Steps))
	places := inputsOf(in, in.Steps[at])
	if len(places) < 2 {
		return false
	}
	i := places[m.IntN(len(places))]
	in.setStep(at, slices.Delete(slices.Clone(in.Steps[at]), i, i+1))
	return true
}

// repeatFile adds an input a second time, under the same name or as a copy.
func (m *mutator) repeatFile(in, _ *Input) bool {
	at := m.IntN(len(in.Steps))
	places := inputsOf(in, in.Steps[at])
	if len(places) == 0 {
		return false
	}
	i := places[m.IntN(len(places))]
	name := in.Steps[at][i]
	if lines, ok := in.Texts[name]; ok && m.IntN(2) == 0 {
		name = in.freshName(path.Base(name))
		in.setText(name, lines)
	}
	in.setStep(at, slices.Insert(slices.Clone(in.Steps[at]), places[m.IntN(len(places))], name))
	return true
}

// reorder swaps two inputs of a link.
func (m *mutator) reorder(in, _ *Input) bool {
	at := m.IntN(len(in.Steps))
	places := inputsOf(in, in.Steps[at])
	if len(places) < 2 {
		return false
	}
	words := slices.Clone(in.Steps[at])
	a, b := places[m.IntN(len(places))], places[m.IntN(len(places))]
	if words[a] == words[b] {
		return false
	}
	words[a], words[b] = words[b], words[a]
	in.setStep(at, words)
	return true
}

// addOption adds an option to a link, possibly about a name that occurs in the link.
func (m *mutator) addOption(in, other *Input) bool {
	at := m.IntN(len(in.Steps))
	word := options[m.IntN(len(options))]
	if m.IntN(3) == 0 {
		words := other.Steps[m.IntN(len(other.Steps))]
		if word = words[m.IntN(len(words))]; !strings.HasPrefix(word, "-") || word == "-o" || strings.HasPrefix(word, "-arch") {
			return false
		}
	}
	if option, _, ok := strings.Cut(word, "-used="); ok && m.IntN(2) == 0 {
		if _, lines, ok := m.text(in); ok {
			if names := symbolNames(lines); len(names) > 0 {
				word = option + "-used=" + names[m.IntN(len(names))]
			}
		}
	}
	if slices.Contains(in.Steps[at], word) {
		return false
	}
	in.setStep(at, slices.Insert(slices.Clone(in.Steps[at]), 0, word))
	return true
}

// dropOption removes a word from a command line. It keeps inputs, outputs and the target.
func (m *mutator) dropOption(in, _ *Input) bool {
	at := m.IntN(len(in.Steps))
	words := in.Steps[at]
	i := m.IntN(len(words))
	if !strings.HasPrefix(words[i], "-") || words[i] == "-o" || strings.HasPrefix(words[i], "-arch") {
		return false
	}
	in.setStep(at, slices.Delete(slices.Clone(words), i, i+1))
	return true
}

// contain packs cubins of a link into an archive or a fat binary.
func (m *mutator) contain(in, _ *Input) bool {
	at := m.IntN(len(in.Steps))
	words := in.Steps[at]
	var members []string
	first := -1
	for _, i := range inputsOf(in, words) {
		if _, ok := in.Texts[words[i]]; ok && (first < 0 || m.IntN(2) == 0) {
			members = append(members, words[i])
			if first < 0 {
				first = i
			}
		}
	}
	if first < 0 {
		return false
	}
	kinds := []string{"archive", "archive", "fatbin", "lz4", "zstd"}
	kind := kinds[m.IntN(len(kinds))]
	name := in.freshName("c.fatbin")
	if kind == "archive" {
		name = in.freshName("c.a")
	} else if m.IntN(2) == 0 {
		members = members[:1]
	}
	in.Containers[name] = Container{Kind: kind, Members: members}
	changed := slices.Clone(words)
	changed[first] = name
	changed = slices.DeleteFunc(changed, func(w string) bool { return slices.Contains(members, w) })
	in.setStep(at, changed)
	return true
}

// chain inserts a step that links some inputs of the last link with -r. The last link then reads the result.
func (m *mutator) chain(in, _ *Input) bool {
	words := in.Steps[last(in)]
	places := inputsOf(in, words)
	if len(places) == 0 || len(in.Steps) >= mostSteps {
		return false
	}
	part := fmt.Sprintf("part%d.cubin", len(in.Steps))
	first := []string{"-arch=sm_" + in.SM, "-r", "-o", part}
	var taken []string
	for _, i := range places {
		if len(taken) == 0 || m.IntN(2) == 0 {
			taken = append(taken, words[i])
		}
	}
	rest := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(taken, w) })
	at := len(rest)
	if m.IntN(2) == 0 {
		if left := inputsOf(in, rest); len(left) > 0 {
			at = left[0]
		}
	}
	in.Steps = append(in.Steps[:last(in)], append(first, taken...), slices.Insert(rest, at, part))
	return true
}

// changeBytes changes bytes of a file that is not a cubin.
func (m *mutator) changeBytes(in, _ *Input) bool {
	var names []string
	for name := range in.Files {
		if len(in.Files[name]) > 0 && in.isNamed(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return false
	}
	slices.Sort(names)
	name := names[m.IntN(len(names))]
	data := slices.Clone(in.Files[name])
	for range 1 + m.few() {
		data[m.IntN(len(data))] ^= 1 << m.IntN(8)
	}
	in.Files[name] = data
	return true
}
