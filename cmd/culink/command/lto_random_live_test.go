package command

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// These are random programs for -lto. A program has a few files that define functions, variables, templates and kernels,
// and use those of other files. A file is intermediate code, machine code or PTX. It is in an object, a fat binary or an
// archive, or is used directly. The order is random, so that both whole and partial optimisation occur. The number of a
// program determines its sources and its command lines.

// An ltoProgram is a random program for -lto.
type ltoProgram struct {
	*rand.Rand
	files     []string            // texts
	names     []string            // "f0", "f1", ...
	functions []ltoDefinition     // device functions that all files can call; a function calls only earlier ones
	variables []ltoDefinition     // variables that all files can read
	declared  []map[string]string // declarations of other files' symbols, by file and name
	kernels   []string
}

// An ltoDefinition is a function or a variable, and the file that defines it.
type ltoDefinition struct {
	name, declaration string
	file              int
	constant          bool
}

// ltoTemplates are functions with weak linkage that are in every file.
const ltoTemplates = `template <int N> __device__ __noinline__ int weak(int x) { __shared__ int s[N]; s[x & 3] = x; __syncthreads(); return s[(x + 1) & 3] * N; }
template <class T> __device__ T half(T x) { return x / 2; }
inline __device__ int inlined(int x) { return x * 3 + 1; }
inline __device__ int shared_by_all = 5;
`

// newLTOProgram makes program number n.
func newLTOProgram(n uint64) *ltoProgram {
	p := &ltoProgram{Rand: rand.New(rand.NewPCG(n, 26))}
	count := 2 + p.IntN(3)
	p.files, p.declared = make([]string, count), make([]map[string]string, count)
	for i := range count {
		p.names = append(p.names, fmt.Sprintf("f%d", i))
		p.files[i], p.declared[i] = ltoTemplates, map[string]string{}
	}
	for i := range count {
		p.addVariables(i)
	}
	for range 2 + p.IntN(5) {
		p.addFunction(p.IntN(count))
	}
	for i := range count {
		for range 1 + p.IntN(2) {
			p.addKernel(i)
		}
	}
	return p
}

// percent returns true with a probability of n percent.
func (p *ltoProgram) percent(n int) bool { return p.IntN(100) < n }

func (p *ltoProgram) write(file int, format string, args ...any) {
	p.files[file] += fmt.Sprintf(format+"\n", args...)
}

func (p *ltoProgram) addVariables(file int) {
	for i := range 1 + p.IntN(3) {
		name := fmt.Sprintf("v%d_%d", file, i)
		switch p.IntN(4) {
		case 0:
			p.write(file, "__constant__ int %s[%d] = {1, %d};", name, 2+p.IntN(5), i+file)
			p.variables = append(p.variables, ltoDefinition{name, "extern __constant__ int " + name + "[];", file, true})
		case 1:
			p.write(file, "__device__ int %s[%d];", name, 2+p.IntN(9))
			p.variables = append(p.variables, ltoDefinition{name, "extern __device__ int " + name + "[];", file, false})
		case 2:
			p.write(file, "static __device__ int %s[4] = {%d, 2};", name, i)
			p.variables = append(p.variables, ltoDefinition{name, "", file, false})
		default:
			p.write(file, "__device__ long long %s[2] = {%d, 3};", name, i)
			p.variables = append(p.variables, ltoDefinition{name, "extern __device__ long long " + name + "[];", file, false})
		}
	}
}

// use returns the name of a definition that a file can refer to, and adds its declaration to the file. It returns "" if
// there is none.
func (p *ltoProgram) use(file int, from []ltoDefinition) string {
	can := slices.DeleteFunc(slices.Clone(from), func(d ltoDefinition) bool { return d.declaration == "" && d.file != file })
	if len(can) == 0 {
		return ""
	}
	d := can[p.IntN(len(can))]
	if d.file != file {
		p.declared[file][d.name] = d.declaration
	}
	return d.name
}

// value returns an expression over x.
func (p *ltoProgram) value(file int) string {
	switch p.IntN(9) {
	case 0, 1, 2:
		if f := p.use(file, p.functions); f != "" {
			return f + "(x)"
		}
	case 3, 4:
		if v := p.use(file, p.variables); v != "" {
			return fmt.Sprintf("(int)%s[%d]", v, p.IntN(2))
		}
	case 5:
		return fmt.Sprintf("weak<%d>(x)", 4<<p.IntN(3))
	case 6:
		return "half<int>(x) + inlined(x)"
	case 7:
		return "shared_by_all"
	}
	return fmt.Sprintf("(x ^ %d)", p.IntN(1000))
}

// body returns statements for the body of a function or a kernel. They compute x.
func (p *ltoProgram) body(file int) string {
	var b strings.Builder
	if p.percent(40) {
		n := 4 << p.IntN(4)
		fmt.Fprintf(&b, "__shared__ int s[%d]; s[x & 3] = x; __syncthreads(); x += s[(x + 1) & 3]; ", n)
	}
	for range 1 + p.IntN(3) {
		fmt.Fprintf(&b, "x %s= %s; ", []string{"+", "^", "-", "*"}[p.IntN(4)], p.value(file))
	}
	if p.percent(25) {
		fmt.Fprintf(&b, "for (int i = 0; i < (x & 7); i++) x += i * %s; ", p.value(file))
	}
	return b.String()
}

// addFunction adds a function that calls earlier functions or itself.
func (p *ltoProgram) addFunction(file int) {
	name := fmt.Sprintf("d%d", len(p.functions))
	linkage := []string{"", "", "__noinline__ ", "static ", "static __noinline__ "}[p.IntN(5)]
	text := p.body(file)
	if p.percent(15) {
		text += fmt.Sprintf("if (x > 9) x += %s(x / 2); ", name)
	}
	p.write(file, "__device__ %sint %s(int x) { %sreturn x; }", linkage, name, text)
	declaration := "extern __device__ int " + name + "(int);"
	if strings.HasPrefix(linkage, "static") {
		declaration = ""
	}
	p.functions = append(p.functions, ltoDefinition{name, declaration, file, false})
	if declaration != "" && p.percent(20) { // also takes its address, in data
		p.write(file, "__device__ int (*const t%s[2])(int) = {%s, 0};", name, name)
	}
}

func (p *ltoProgram) addKernel(file int) {
	name := fmt.Sprintf("k%d", len(p.kernels))
	p.kernels = append(p.kernels, name)
	linkage := ""
	if p.percent(20) {
		linkage = "static "
	}
	text := p.body(file)
	if p.percent(20) {
		text = "extern __shared__ int dynamic[]; dynamic[threadIdx.x] = x; " + text + "x += dynamic[x & 31]; "
	}
	p.write(file, "%s__global__ void %s(int *p) { int x = p[threadIdx.x]; %sp[threadIdx.x] = x; }", linkage, name, text)
	if p.percent(60) || linkage != "" {
		p.write(file, "void launch%s() { %s<<<1, 32>>>(0); }", name, name)
	}
}

// sources returns the files of the program.
func (p *ltoProgram) sources() map[string]string {
	texts := map[string]string{}
	for i, text := range p.files {
		var declarations []string
		for _, d := range p.declared[i] {
			declarations = append(declarations, d+"\n")
		}
		slices.Sort(declarations)
		texts[p.names[i]+".cu"] = strings.Join(declarations, "") + text
	}
	return texts
}

// The forms of a file: as intermediate code, and as other code, which makes the optimisation partial.
var (
	ltoForms   = []string{".lto.o", ".lto.o", ".lto.o", ".plain.o", ".fatbin", ".ltoir"}
	otherForms = []string{".sm.o", ".sm.o", ".cubin", ".ptx.o", ".ptx"}
)

// ltoRandomOptions lists options for command lines. The empty string stands for no option. Options that make the PTX
// differ from run to run are omitted.
var ltoRandomOptions = []string{
	"", "", "", "-g", "-r", "-v", "-emit-ptx", "-force-partial-lto", "-force-whole-lto", "-ignore-host-info", "-kernels-used k0", "-kernels-used k1,k2",
	"-variables-used v0", "-maxrregcount 32", "-Xptxas -O1", "-Xnvvm -ftz=1", "-Ofc mid", "-split-compile 2", "-keep-system-libraries", "--preserve-relocs", "-dump-callgraph",
}

// line returns a command line, and recipes for the archives that it needs.
func (p *ltoProgram) line(number int) (line string, archives []recipe) {
	machine := 0
	if p.percent(55) {
		machine = 1 + p.IntN(len(p.names)-1)
	}
	var words []string
	for i, at := range p.Perm(len(p.names)) {
		forms := ltoForms
		if i < machine {
			forms = otherForms
		}
		words = append(words, p.names[at]+forms[p.IntN(len(forms))])
	}
	p.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	if p.percent(25) { // the last objects are in an archive
		at := len(words)
		for at > 0 && strings.HasSuffix(words[at-1], ".o") {
			at--
		}
		if at < len(words) {
			name := fmt.Sprintf("line%d.a", number)
			archives = append(archives, recipe{name, "ar rc NAME " + strings.Join(words[at:], " ")})
			words = append(words[:at:at], name)
		}
	}
	if p.percent(75) {
		words = slices.Insert(words, p.IntN(len(words)+1), "RUNTIME")
	}
	if p.percent(30) {
		words = append(words, "-register")
	}
	for range p.IntN(3) {
		words = append(words, ltoRandomOptions[p.IntN(len(ltoRandomOptions))])
	}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " "), archives
}

// ltoRandomTargets are the targets of random programs, with the architecture of their intermediate code.
var ltoRandomTargets = [][2]string{{"sm_90", "90"}, {"sm_75", "75"}, {"sm_80", "80"}, {"sm_86", "75"}, {"sm_89", "80"}, {"sm_90a", "90a"}, {"sm_100", "90"}, {"sm_120", "75"}}

const (
	ltoRandomPrograms = 16
	ltoRandomLines    = 8
)

// The linkers are compared on random programs in the same way as in TestLTOLive.
func TestLTORandomLive(t *testing.T) {
	oracle, culink := liveTools(t)
	if os.Getenv("CULINK_ALL_LTO") == "" {
		t.Skip("CULINK_ALL_LTO is not set: the 128 links take more than five minutes")
	}
	for n := range ltoRandomPrograms {
		target := ltoRandomTargets[n%len(ltoRandomTargets)]
		t.Run(fmt.Sprintf("%d for %s", n, target[0]), func(t *testing.T) {
			p := newLTOProgram(uint64(n))
			w := openLTOWorkshop(t, oracle, culink, target[0], target[1], p.sources())
			same := 0
			for i := range ltoRandomLines {
				line, archives := p.line(i)
				w.recipes = append(archives, w.recipes...)
				if w.compare("-arch=" + target[0] + " -lto -nvvmpath nv -o out/o " + line) {
					same++
				}
			}
			t.Logf("%d links, %d the same, %d of them but for schedules", ltoRandomLines, same, w.scheduled)
		})
	}
}
