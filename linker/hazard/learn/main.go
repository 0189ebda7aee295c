// Learn writes the least distances of package hazard. It needs CULINK_ORACLE, the folder
// of an installed toolkit:
//
//	go run ./linker/hazard/learn -kernels 20000 -keep FOLDER -o linker/hazard/least_table.go corpus FOLDER...
//
// It has the toolkit's assembler make machine code of random kernels (kernel.go), and learns
// from its schedules and from those of folders of cubins. What the assembler made it keeps
// in a folder, and does not make again. With -from and -to it learns those SMs alone, with
// -add on top of what the table has, so that earlier samples need not be kept.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
)

// generations are the groups of SMs with the same distances, and the SMs that stand for
// them.
var generations = []struct {
	since, until int
	sms          []int
}{
	{75, 79, []int{75}}, {80, 85, []int{80}}, {86, 88, []int{86}}, {89, 89, []int{89}}, {90, 99, []int{90}},
	{100, 102, []int{100}}, {103, 109, []int{103}}, {110, 119, []int{110}}, {120, 121, []int{120, 121}},
}

// perModule is how many kernels the assembler is given at once.
const perModule = 250

func main() {
	log.SetFlags(0)
	out := flag.String("o", "", "file to write the table to; none: only make machine code")
	kernels := flag.Int("kernels", 1000, "random kernels for each SM")
	seed := flag.Uint64("seed", 1, "of the random kernels")
	keep := flag.String("keep", "", "folder for the machine code")
	from := flag.Int("from", 0, "first SM to learn; what the table has of those before stays")
	to := flag.Int("to", 1000, "last SM to learn; what the table has of those after stays")
	add := flag.Bool("add", false, "learn on top of what the table has")
	flag.Parse()
	oracle := os.Getenv("CULINK_ORACLE")
	if oracle == "" || *keep == "" {
		log.Fatal("CULINK_ORACLE names no installed toolkit, or -keep no folder: nothing to learn from")
	}
	for _, g := range generations {
		if g.since < *from || g.since > *to {
			continue
		}
		for _, sm := range g.sms {
			for i := range (*kernels + perModule - 1) / perModule {
				if err := assemble(filepath.Join(oracle, "bin", "ptxas"), *keep, sm, *seed, uint64(i)); err != nil {
					log.Fatal(err)
				}
			}
		}
	}
	if *out == "" {
		return
	}
	files := cubinsOf(append([]string{*keep}, flag.Args()...))
	var surveys []*hazard.Survey
	for _, g := range generations {
		if g.since < *from || g.since > *to {
			if s := hazard.Known(g.since); s != nil {
				surveys = append(surveys, s)
			}
			continue
		}
		s := hazard.NewSurvey(g.since, g.until)
		if known := hazard.Known(g.since); *add && known != nil {
			s = known
		}
		each := func(use func(hazard.Function)) {
			for _, name := range files {
				functions, err := read(name, g.since, g.until)
				if err != nil {
					continue // cases about damage
				}
				for _, f := range functions {
					use(f)
				}
			}
		}
		each(s.Count)
		seen := map[string]int{}
		each(func(f hazard.Function) {
			s.Learn(f, func(text string) {
				if seen[text]++; len(seen) < 30 {
					log.Print(text)
				}
			})
		})
		log.Printf("sm_%d: %d functions, %d things that do not fit", g.since, s.Functions, len(seen))
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
var levels = []string{"-O3", "-O2", "-O3", "-O1"}

// patience is how long the assembler may take for a module, which is seconds mostly.
const patience = 5 * time.Minute

// assemble has the assembler make machine code of random kernels, unless it did so before.
func assemble(ptxas, keep string, sm int, seed, number uint64) error {
	target := fmt.Sprintf("sm_%d", sm)
	name := filepath.Join(keep, fmt.Sprintf("%s-%d-%d", target, seed, number))
	if _, err := os.Stat(name + ".cubin"); err == nil {
		return nil
	}
	text := module(rand.New(rand.NewPCG(seed, number<<8|uint64(sm))), sm, target, perModule)
	if err := os.WriteFile(name+".ptx", []byte(text), 0o644); err != nil {
		return err
	}
	defer os.Remove(name + ".ptx")
	args := []string{"-arch", target, levels[number%uint64(len(levels))], "-o", name + ".cubin", name + ".ptx"}
	if number%3 == 0 {
		args = append(args, "-c")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if out, err := exec.CommandContext(ctx, ptxas, args...).CombinedOutput(); err != nil {
		var failed *exec.ExitError
		if !errors.As(err, &failed) || failed.Exited() {
			return fmt.Errorf("%s: %w: %s", name, err, out)
		}
		log.Printf("%s: %v: left out", name, err) // it crashes now and then, or finds no end
	}
	return nil
}

// read returns the functions of a cubin of SMs.
func read(name string, since, until int) ([]hazard.Function, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := cubin.Open(name, data)
	if err != nil || f.SM() < since || f.SM() > until {
		return nil, err
	}
	return hazard.Functions(f)
}

// cubinsOf returns the names of all cubins in folders.
func cubinsOf(dirs []string) (all []string) {
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && filepath.Ext(path) == ".cubin" {
				all = append(all, path)
			}
			return err
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	return all
}
