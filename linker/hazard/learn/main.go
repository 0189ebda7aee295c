// Learn writes the least distances of package hazard. It needs CULINK_ORACLE, the folder
// of an installed toolkit:
//
//	go run ./linker/hazard/learn -kernels 30 -cubins corpus -o linker/hazard/least_table.go
//
// It has the toolkit's assembler make machine code of random kernels (kernel.go), and learns
// from its schedules and from those of a folder of cubins.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"go/format"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
)

// generations are the groups of SMs with the same distances, and the SMs that stand for
// them.
var generations = []struct {
	since, until int
	sms          []int
}{
	{100, 102, []int{100}}, {103, 109, []int{103}}, {110, 119, []int{110}}, {120, 121, []int{120, 121}},
}

func main() {
	log.SetFlags(0)
	out := flag.String("o", "least_table.go", "file to write the table to")
	kernels := flag.Int("kernels", 100, "random kernels for each SM")
	seed := flag.Uint64("seed", 1, "of the random kernels")
	dir := flag.String("cubins", "", "folder of further cubins to learn from")
	flag.Parse()
	oracle := os.Getenv("CULINK_ORACLE")
	if oracle == "" {
		log.Fatal("CULINK_ORACLE names no installed toolkit: nothing to learn from")
	}
	work, err := os.MkdirTemp("", "learn")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(work)
	more := cubinsOf(*dir)
	var surveys []*hazard.Survey
	for _, g := range generations {
		s := hazard.NewSurvey(g.since, g.until)
		for _, sm := range g.sms {
			for i := range *kernels {
				s.Add(assemble(filepath.Join(oracle, "bin", "ptxas"), work, sm, *seed, uint64(i))...)
			}
		}
		for _, f := range more {
			if g.since <= f.SM && f.SM <= g.until {
				s.Add(f)
			}
		}
		seen := map[string]int{}
		s.Learn(func(text string) {
			if seen[text]++; len(seen) < 30 {
				log.Print(text)
			}
		})
		log.Printf("sm_%d: %d things that do not fit", g.since, len(seen))
		surveys = append(surveys, s)
	}
	var b bytes.Buffer
	hazard.WriteTable(&b, surveys)
	text, err := format.Source(b.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile(*out, text, 0o644); err != nil {
		log.Fatal(err)
	}
}

// levels are how the assembler may optimize; most code is made with the last.
var levels = []string{"-O1", "-O2", "-O3", "-O3"}

// assemble returns the functions that the assembler makes of a random kernel.
func assemble(ptxas, work string, sm int, seed, number uint64) []hazard.Function {
	source, file := filepath.Join(work, "k.ptx"), filepath.Join(work, "k.cubin")
	target := fmt.Sprintf("sm_%d", sm)
	text := kernel(rand.New(rand.NewPCG(seed, number<<8|uint64(sm))), sm, target)
	if err := os.WriteFile(source, []byte(text), 0o644); err != nil {
		log.Fatal(err)
	}
	args := []string{"-arch", target, levels[number%uint64(len(levels))], "-o", file, source}
	if number%3 == 0 {
		args = append(args, "-c")
	}
	if out, err := exec.CommandContext(context.Background(), ptxas, args...).CombinedOutput(); err != nil {
		log.Printf("%s, kernel %d: %v: %s", target, number, err, out)
		return nil
	}
	functions, err := read(file)
	if err != nil {
		log.Fatal(err)
	}
	for i := range functions {
		functions[i].Name = fmt.Sprintf("kernel %d for %s", number, target)
	}
	return functions
}

func read(name string) ([]hazard.Function, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := cubin.Open(name, data)
	if err != nil {
		return nil, err
	}
	return hazard.Functions(f)
}

// cubinsOf returns the functions of all cubins in a folder.
func cubinsOf(dir string) (all []hazard.Function) {
	if dir == "" {
		return nil
	}
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(path) != ".cubin" {
			return err
		}
		if functions, err := read(path); err == nil {
			all = append(all, functions...)
		}
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}
	return all
}
