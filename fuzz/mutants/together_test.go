package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// example is the source that the tests change. It has every kind of function and of statement list.
const example = `package main

import "fmt"

var table = 7

type list[T any] []T

func (l list[T]) nth(i int) T { return l[i%2] }

func (list[T]) count(more ...int) (n int) {
	n = len(more) + 1
	return n
}

func first[K comparable, V any](k K, _ V) (K, bool) { return k, true }

func say(what string, _ int) {
	if what != "" && len(what) < 5 {
		fmt.Println(what)
	} else if what == "long" {
		return
	}
	fmt.Println("said")
}

func loop(n int) (sum int) {
outer:
	for i := range n {
		switch i % 3 {
		case 1 + 1:
			continue outer
		default:
			sum += func() int { return i * 2 }()
		}
	}
	return sum
}

func main() {
	l := list[int]{3, table}
	fmt.Println(l.nth(1), l.count(1, 2), loop(5))
	fmt.Println(first("k", l.count()))
	say("word", 1)
	say("", 1)
}
`

// If a mutant is selected, the program of all mutants behaves like a program with only this mutant. If none is selected,
// it behaves like the original. It also records which mutants it executes.
func TestJoin(t *testing.T) {
	points, err := pointsOf("main.go", []byte(example), newUsers())
	if err != nil {
		t.Fatal(err)
	}
	var mutants []*point
	for _, p := range points {
		if p.number = len(mutants) + 1; !p.isAlone() && p.From != "continue outer" { // without it the label is unused
			mutants = append(mutants, p)
		}
	}
	build := func(text string) string {
		dir := t.TempDir()
		files := map[string]string{"main.go": text, "go.mod": "module " + strings.TrimSuffix(module, "/") + "\n\ngo 1.26\n"}
		files["linker/mutant/mutant.go"] = mutantPackage(len(mutants), filepath.Join(dir, "choice"))
		for name, text := range files {
			name = filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		program := filepath.Join(dir, "program")
		cmd := exec.Command("go", "build", "-o", program, ".")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s\n%v\n%s", text, err, out)
		}
		return program
	}
	run := func(program, choice string) string {
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), chosenBy+"="+choice)
		out, err := cmd.CombinedOutput()
		if err != nil { // a panic, whose stack trace is not compared
			out, _, _ = bytes.Cut(out, []byte("\n\ngoroutine"))
		}
		return string(out)
	}
	joined, err := join("main.go", []byte(example), mutants, map[int][]int{9: {len(mutants)}})
	if err != nil {
		t.Fatal(err)
	}
	program := build(joined.text)
	plain := build(example)
	if got, want := run(program, "0"), run(plain, "0"); got != want {
		t.Errorf("as none: %q, want %q", got, want)
	}
	different := 0
	const each = 3 // one in this many mutants is built separately
	for i, p := range mutants {
		as := run(program, strconv.Itoa(p.number))
		if i%each == 0 {
			if alone := run(build(string(p.apply([]byte(example)))), "0"); as != alone {
				t.Errorf("%s: %q, want %q", p, as, alone)
			}
		}
		if as != run(plain, "0") {
			different++
		}
		line := slices.IndexFunc(strings.Split(joined.text, "\n"), func(s string) bool {
			begin, _, _ := strings.Cut(s, p.Function[strings.LastIndexByte(p.Function, '.')+1:]+"__"+strconv.Itoa(p.number))
			return begin != s && strings.HasPrefix(begin, "func") && !strings.Contains(begin, "switch")
		})
		if joined.at(line+1) != p.number {
			t.Errorf("%s: line %d is of the copy of %d", p, line+1, joined.at(line+1))
		}
	}
	if different < len(mutants)/2 {
		t.Errorf("%d of %d mutants do something else", different, len(mutants))
	}
	notes := filepath.Join(t.TempDir(), "notes")
	run(program, "0 "+notes)
	data, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	executed := strings.Fields(string(data))
	for _, p := range mutants {
		want := p.From != "return" // in the branch of "long"
		if slices.Contains(executed, strconv.Itoa(p.number)) != want {
			t.Errorf("%s: executed is not %t", p, want)
		}
	}
}
