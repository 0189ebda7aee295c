// Measure counts the verdicts of package hazard on functions of cubins:
//
//	go run ./linker/hazard/measure [-reasons 20] [-spoil 1] [-attack] [-every 10] FOLDER...
//
// For each SM it prints the number of safe, unknown and unsafe functions, and the average time. With -reasons
// it prints the most frequent reasons of unsafe and unknown verdicts. With -attack package adversary attacks
// the safe functions. With -spoil each function is damaged that many times in all ways of package spoil, and
// the results are printed.
//
// With -random it also assembles that many functions for each SM (package kernels) with the assembler of
// CULINK_ORACLE, the folder of an installed toolkit. It measures and removes them:
//
//	go run ./linker/hazard/measure -random 10000 -seed 77 [-sm 75,120] [-keep FOLDER]
//
// A seed that was not used for learning creates functions that are new to the checker.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"math/rand/v2"
	"os"

	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/hazard/spoil"
	"github.com/culink/culink/linker/sass"
)

func main() {
	log.SetFlags(0)
	most := flag.Int("reasons", 0, "how many reasons to print")
	verbose := flag.Bool("v", false, "print what is not safe, each place")
	every := flag.Int("every", 1, "take one function of so many")
	attack := flag.Bool("attack", false, "attack the functions that are safe, too")
	times := flag.Int("spoil", 0, "spoil each function so often in each way, too")
	limit := flag.Int("limit", 20_000, "states that an attack may look at")
	seed := flag.Uint64("seed", 1, "of the spoils and of the functions at random")
	count := flag.Int("random", 0, "functions at random for each SM")
	smList := flag.String("sm", defaultSMs, "SMs of the functions at random")
	keep := flag.String("keep", "", "folder for files with functions at random that are not safe")
	flag.Parse()
	v := newVerdicts(*verbose)
	campaign := &spoil.Campaign{Limit: *limit}
	attacked := spoil.Counts{}
	rng := rand.New(rand.NewPCG(*seed, 0))
	all := &functions{every: *every, use: func(path string, f hazard.Function) hazard.Verdict {
		campaign.Report = func(kind string, _ hazard.Function, at int, o spoil.Outcome, why string) {
			if *verbose {
				fmt.Printf("%v: %s: sm_%d %s %s at %#x: %s\n", o, kind, f.SM, path, f.Name, at*sass.Size, why)
			}
		}
		verdict := v.add(path, f)
		if verdict == hazard.Safe && *attack {
			o, why := campaign.Judge(f)
			attacked[o]++
			if o != spoil.Harmless {
				fmt.Printf("%v: %s %s: %s\n", o, path, f.Name, why)
			}
		}
		if *times > 0 {
			campaign.Spoil(f, rng, *times)
		}
		return verdict
	}}
	for _, dir := range flag.Args() {
		if err := all.inFolder(dir); err != nil {
			log.Fatal(err)
		}
	}
	if *count > 0 {
		oracle := os.Getenv("CULINK_ORACLE")
		if oracle == "" {
			log.Fatal("CULINK_ORACLE names no installed toolkit: nothing makes functions")
		}
		sms, err := parseSMs(*smList)
		if err != nil {
			log.Fatal(err)
		}
		if err := random(oracle, sms, *count, *seed, *keep, all, func(sm int) { log.Print(v.line(sm)) }); err != nil {
			log.Fatal(err)
		}
	}
	v.write(*most)
	if *attack {
		for o, n := range attacked {
			fmt.Printf("%v: %d\n", spoil.Outcome(o), n)
		}
	}
	if *times > 0 {
		campaign.Write(os.Stdout)
	}
}

// functions contains the functions to measure, without duplicates.
type functions struct {
	every int // measure one of so many
	taken int
	seen  map[[sha256.Size]byte]bool
	use   func(path string, f hazard.Function) hazard.Verdict
}

// inFolder measures the functions of the cubins in a folder. The folder may be a corpus.
func (all *functions) inFolder(dir string) error {
	folder := corpus.Plain(os.DirFS(dir))
	return fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			all.inFile(folder, path)
		}
		return nil
	})
}

// inFile measures the functions of a file if it is a cubin, and returns the worst verdict.
func (all *functions) inFile(folder fs.FS, path string) (worst hazard.Verdict) {
	data, err := fs.ReadFile(folder, path)
	if err != nil || len(data) < 4 || string(data[:4]) != "\x7fELF" {
		return hazard.Safe
	}
	f, err := cubin.Open(path, data)
	if err != nil {
		return hazard.Safe
	}
	list, err := hazard.Functions(f)
	if err != nil {
		return hazard.Safe
	}
	for _, fn := range list {
		sum := sha256.Sum256(fn.Text)
		if all.seen[sum] {
			continue
		}
		if all.seen == nil {
			all.seen = map[[sha256.Size]byte]bool{}
		}
		all.seen[sum] = true
		if all.taken++; all.taken%all.every == 0 {
			worst = max(worst, all.use(path, fn))
		}
	}
	return worst
}
