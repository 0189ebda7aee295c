// Learn generates the minimum distances of package hazard. It needs CULINK_ORACLE, the folder of an installed
// toolkit:
//
//	go run ./linker/hazard/learn -kernels 20000 -keep FOLDER -o linker/hazard/least_table.go corpus FOLDER...
//
// It assembles random kernels (package kernels) with the toolkit's assembler, and learns from their schedules
// and from those of folders of cubins. It keeps the assembled cubins in a folder and does not assemble them
// again. -from and -to restrict it to some SMs. With -add it extends the data in the table, so that earlier
// samples need not be kept.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/format"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/hazard/kernels"
)

// A generation is a group of SMs with the same distances, and the SMs that represent it.
type generation struct {
	since, until int
	sms          []int
}

var generations = []generation{
	{75, 79, []int{75}}, {80, 85, []int{80}}, {86, 88, []int{86}}, {89, 89, []int{89}}, {90, 99, []int{90}},
	{100, 102, []int{100}}, {103, 109, []int{103}}, {110, 119, []int{110}}, {120, 121, []int{120, 121}},
}

func main() {
	log.SetFlags(0)
	out := flag.String("o", "", "file to write the table to; none: only make machine code")
	count := flag.Int("kernels", 1000, "random kernels for each SM")
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
			for i := range (*count + kernels.PerModule - 1) / kernels.PerModule {
				if err := assemble(oracle, *keep, sm, *seed, uint64(i)); err != nil {
					log.Fatal(err)
				}
			}
		}
	}
	if *out == "" {
		return
	}
	files := cubinsOf(append([]string{*keep}, flag.Args()...))
	if len(files) == 0 {
		log.Fatal("no folder has a cubin: nothing to learn from")
	}
	var surveys []*hazard.Survey
	for _, g := range generations {
		if g.since < *from || g.since > *to {
			if s := hazard.Known(g.since); s != nil {
				surveys = append(surveys, s)
			}
			continue
		}
		surveys = append(surveys, learn(g, files, *add))
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

// learn surveys the functions in files for the SMs of a generation. With add it extends the data in the table.
func learn(g generation, files []file, add bool) *hazard.Survey {
	s := hazard.NewSurvey(g.since, g.until)
	if known := hazard.Known(g.since); add && known != nil {
		s = known
	}
	each := func(use func(hazard.Function)) {
		for _, f := range files {
			functions, err := f.functions(g.since, g.until)
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
	return s
}

// assemble assembles random kernels, unless the file for them exists already.
func assemble(toolkit, keep string, sm int, seed, number uint64) error {
	name := filepath.Join(keep, fmt.Sprintf("sm_%d-%d-%d.cubin", sm, seed, number))
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	err := kernels.Assemble(toolkit, name, sm, seed, number)
	if errors.Is(err, kernels.ErrCrashed) {
		log.Printf("%v: left out", err)
		return nil
	}
	return err
}

// A file is a cubin in a folder, or in a target of a corpus (package corpus).
type file struct {
	folder fs.FS
	name   string
}

// functions returns the functions of a cubin, if it is for one of the SMs.
func (f file) functions(since, until int) ([]hazard.Function, error) {
	data, err := fs.ReadFile(f.folder, f.name)
	if err != nil {
		return nil, err
	}
	c, err := cubin.Open(f.name, data)
	if err != nil || c.SM() < since || c.SM() > until {
		return nil, err
	}
	return hazard.Functions(c)
}

// cubinsOf returns all cubins in the folders. Each folder may be a corpus.
func cubinsOf(dirs []string) (all []file) {
	for _, dir := range dirs {
		folder := corpus.Plain(os.DirFS(dir))
		err := fs.WalkDir(folder, ".", func(name string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && path.Ext(name) == ".cubin" {
				all = append(all, file{folder, name})
			}
			return err
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	return all
}
