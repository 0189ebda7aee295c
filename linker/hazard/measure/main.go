// Measure counts the verdicts of package hazard about functions of cubins:
//
//	go run ./linker/hazard/measure [-reasons 20] [-spoil 1] [-attack] [-every 10] FOLDER...
//
// For each SM it prints how many functions are safe, unknown and unsafe, and what an
// average one took; with -reasons the most frequent reasons of what is not safe. With -attack
// package adversary attacks the safe ones. With -spoil each is made wrong in all ways of package
// spoil, so many times, and what became of that is printed.
package main

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

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
	seed := flag.Uint64("seed", 1, "of the spoils")
	flag.Parse()
	v := newVerdicts(*verbose)
	campaign := &spoil.Campaign{Limit: *limit}
	attacked := spoil.Counts{}
	rng := rand.New(rand.NewPCG(*seed, 0))
	taken := 0
	for _, dir := range flag.Args() {
		if err := functionsIn(dir, func(path string, f hazard.Function) {
			if taken++; taken%*every != 0 {
				return
			}
			campaign.Report = func(kind string, _ hazard.Function, at int, o spoil.Outcome, why string) {
				if *verbose {
					fmt.Printf("%v: %s: sm_%d %s %s at %#x: %s\n", o, kind, f.SM, path, f.Name, at*sass.Size, why)
				}
			}
			if v.add(path, f) == hazard.Safe && *attack {
				o, why := campaign.Judge(f)
				attacked[o]++
				if o != spoil.Harmless {
					fmt.Printf("%v: %s %s: %s\n", o, path, f.Name, why)
				}
			}
			if *times > 0 {
				campaign.Spoil(f, rng, *times)
			}
		}); err != nil {
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

// functionsIn calls use for the functions of the cubins in a folder, for each once.
func functionsIn(dir string, use func(path string, f hazard.Function)) error {
	seen := map[[sha256.Size]byte]bool{}
	return filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil || len(data) < 4 || string(data[:4]) != "\x7fELF" {
			return nil
		}
		f, err := cubin.Open(path, data)
		if err != nil {
			return nil
		}
		functions, err := hazard.Functions(f)
		if err != nil {
			return nil
		}
		for _, fn := range functions {
			if sum := sha256.Sum256(fn.Text); !seen[sum] {
				seen[sum] = true
				use(path, fn)
			}
		}
		return nil
	})
}
