package generate

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/culink/culink/conformance/tools"
	"github.com/culink/culink/conformance/tools/toolstest"
	"github.com/culink/culink/linker/arch"
	"pgregory.net/rapid"
)

func program(seed uint64, cfg Config) *Program {
	return Random(rand.New(rand.NewPCG(seed, 1)), cfg)
}

func text(p *Program) string {
	var b strings.Builder
	for _, u := range p.Units {
		b.WriteString(u.Name + "\n" + p.PTX(u))
	}
	return b.String()
}

// A seed determines the program, and another seed gives another program.
func TestSeedDecides(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		cfg := Config{SM: rapid.SampledFrom([]int{75, 80, 90}).Draw(t, "sm"), MaxUnits: rapid.IntRange(1, 12).Draw(t, "units")}
		a := text(program(seed, cfg))
		if a != text(program(seed, cfg)) {
			t.Fatal("two programs of one seed")
		}
		if a == text(program(seed+1, cfg)) && strings.Count(a, "\n") > 60 {
			t.Fatal("one program of two seeds")
		}
	})
}

// Without makes a program smaller and does not change the original. No use remains of a symbol that was removed.
func TestWithout(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := program(rapid.Uint64().Draw(t, "seed"), Config{SM: 80, MaxUnits: 6})
		before := text(p)
		level := rapid.SampledFrom(Levels()).Draw(t, "level")
		n := p.Count(level)
		if n == 0 {
			t.Skip("nothing of this level")
		}
		smaller := p.Without(level, rapid.IntRange(0, n-1).Draw(t, "part"))
		if got := smaller.Count(level); got >= n {
			t.Fatalf("%d parts of level %d, %d before", got, level, n)
		}
		if text(p) != before {
			t.Fatal("the original has changed")
		}
		defined := map[string]bool{}
		for _, u := range smaller.Units {
			for _, s := range u.Symbols {
				defined[s.Name] = true
			}
		}
		lost := map[string]bool{}
		for _, u := range p.Units {
			for _, s := range u.Symbols {
				lost[s.Name] = !defined[s.Name]
			}
		}
		for _, u := range smaller.Units {
			for _, name := range u.uses() {
				if lost[name] {
					t.Fatalf("%s is used in %s and gone", name, u.Name)
				}
			}
		}
	})
}

// An assembler is NVIDIA's ptxas of one release. The release determines which PTX a construct may use.
type assembler struct {
	tool          string
	architectures []int // architectures that are tested
}

// assemblers returns the installed assemblers by the PTX version that they support.
func assemblers(t *testing.T) map[int]assembler {
	oracle := toolstest.Oracle(t)
	list := map[int]assembler{arch.Default.PTX(): {filepath.Join(oracle, "bin", "ptxas"), []int{75, 80, 90}}}
	for _, p := range arch.Releases() {
		folder, _ := tools.Beside(oracle, p)
		tool := filepath.Join(folder, "bin", "ptxas")
		if _, err := os.Stat(tool); err == nil && p.PTX() < arch.Default.PTX() {
			newest := 90
			if p.Lookup(newest) == nil {
				newest = 86
			}
			list[p.PTX()] = assembler{tool, []int{52, newest}}
		}
	}
	return list
}

// Every construct compiles on every architecture that supports it, in the PTX version of every assembler. An assembler
// may reject a program for another reason, such as too many registers. So it is enough if one of several programs
// compiles.
func TestLiveConstructsCompile(t *testing.T) {
	dir := t.TempDir()
	for version, a := range assemblers(t) {
		testConstructs(t, dir, a.tool, version, a.architectures)
	}
}

func testConstructs(t *testing.T, dir, tool string, version int, architectures []int) {
	for _, c := range constructs {
		for _, sm := range architectures {
			if sm < c.from || c.to != 0 && sm > c.to {
				continue
			}
			var last string
			compiled := false
			for seed := uint64(0); seed < 40 && !compiled; seed++ {
				p := program(seed, Config{SM: sm, Version: version, MaxUnits: 2, Only: []string{c.name}})
				if !strings.Contains(text(p), "// "+c.name) {
					continue
				}
				compiled = true
				for _, u := range p.Units {
					in := filepath.Join(dir, "u.ptx")
					if err := os.WriteFile(in, []byte(p.PTX(u)), 0o666); err != nil {
						t.Fatal(err)
					}
					arch := "-arch=" + strings.Fields(strings.SplitN(p.PTX(u), ".target ", 2)[1])[0]
					args := append([]string{"-c", strings.TrimSuffix(arch, ","), in, "-o", filepath.Join(dir, "u.cubin")}, u.Flags()...)
					if out, err := exec.Command(tool, args...).CombinedOutput(); err != nil {
						compiled = false
						last = string(out) + p.PTX(u)
					}
				}
			}
			if !compiled {
				t.Errorf("%s never compiles as PTX %d on sm_%d\n%s", c.name, version, sm, last)
			}
		}
	}
}
