// Measure counts the verdicts of package hazard about functions of cubins:
//
//	go run ./linker/hazard/measure [-reasons 20] FOLDER...
//
// For each SM it prints how many functions are safe, unknown and unsafe, and what an
// average one took; with -reasons the most frequent reasons of what is not safe.
package main

import (
	"cmp"
	"crypto/sha256"
	"flag"
	"fmt"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/hazard"
	"github.com/culink/culink/linker/sass"
)

// A tally counts verdicts about functions of an SM.
type tally struct {
	verdicts [3]int
	took     time.Duration
	code     int
}

func main() {
	log.SetFlags(0)
	most := flag.Int("reasons", 0, "how many reasons to print")
	verbose := flag.Bool("v", false, "print what is not safe, each place")
	flag.Parse()
	tallies := map[int]*tally{}
	reasons := map[string]int{}
	where := map[string]string{}
	seen := map[[sha256.Size]byte]bool{}
	number := regexp.MustCompile(`0x[0-9a-f]+`)
	for _, dir := range flag.Args() {
		err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() {
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
				sum := sha256.Sum256(fn.Text)
				if seen[sum] {
					continue
				}
				seen[sum] = true
				t := tallies[fn.SM]
				if t == nil {
					t = &tally{}
					tallies[fn.SM] = t
				}
				began := time.Now()
				r := hazard.Check(fn)
				t.took += time.Since(began)
				t.code += len(fn.Text)
				t.verdicts[r.Verdict]++
				first := map[string]bool{}
				for _, finding := range r.Findings {
					if finding.Verdict != r.Verdict {
						continue
					}
					if *verbose {
						fmt.Printf("%s %s: %v [%#x after %#x]\n", path, fn.Name, finding, opcode(fn, finding.Offset), opcode(fn, finding.Other))
					}
					text := fmt.Sprintf("sm_%d %v: %s", fn.SM, finding.Verdict, number.ReplaceAllString(finding.Reason, "N"))
					if !first[text] {
						first[text] = true
						reasons[text]++
						where[text] = fmt.Sprintf("%s %s at %#x", path, fn.Name, finding.Offset)
					}
				}
			}
			return nil
		})
		if err != nil {
			log.Fatal(err)
		}
	}
	for _, sm := range slices.Sorted(maps.Keys(tallies)) {
		t := tallies[sm]
		n := t.verdicts[0] + t.verdicts[1] + t.verdicts[2]
		fmt.Printf("sm_%d: %d functions: %d safe, %d unknown, %d unsafe; %.3f ms and %d bytes each\n", sm, n,
			t.verdicts[hazard.Safe], t.verdicts[hazard.Unknown], t.verdicts[hazard.Unsafe], t.took.Seconds()*1000/float64(n), t.code/n)
	}
	list := slices.SortedFunc(maps.Keys(reasons), func(a, b string) int { return cmp.Compare(reasons[b], reasons[a]) })
	for _, text := range list[:min(len(list), *most)] {
		fmt.Printf("%6d %s (%s)\n", reasons[text], text, where[text])
	}
}

// opcode returns that of the instruction at an offset, and 0 where there is none.
func opcode(f hazard.Function, at uint64) uint16 {
	if at+sass.Size > uint64(len(f.Text)) {
		return 0
	}
	return sass.Decode(f.Text[at:]).Opcode()
}
