package arch

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/toolkits.md anew")

const docsPath = "../../docs/toolkits.md"

// TestDocsAreCurrent checks that docs/toolkits.md agrees with the tables (KIT-004).
func TestDocsAreCurrent(t *testing.T) {
	want := toolkitsDoc()
	if *update {
		if err := os.WriteFile(docsPath, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(docsPath)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not current: go test ./linker/arch -run Docs -update", docsPath)
	}
}

func toolkitsDoc() string {
	var b strings.Builder
	b.WriteString(`# Toolkits

Made from the tables of ` + "`linker/arch`" + `; do not edit. Write it anew with ` + "`go test ./linker/arch -run Docs -update`" + `.

culink stands in for the nvlink of one release of the CUDA toolkit: that of ` + "`--toolkit VERSION`" + `, else that of the
environment's CULINK_TOOLKIT, else ` + Default.Version + ` (KIT-001, KIT-002). "12.4" names the release of that line.
Other builds of these releases are known by their whole version (KIT-201); what is not known stands for the nearest (KIT-207). How a release becomes known: [newrelease.md](newrelease.md).

| release | targets |
| --- | --- |
`)
	for _, p := range Releases() {
		var names []string
		for _, a := range p.Architectures {
			name := fmt.Sprint(a.Number)
			for _, s := range a.Suffixes {
				name += fmt.Sprintf(" %d%c", a.Number, s)
			}
			names = append(names, name)
		}
		version := p.Version
		if p.Interpolated {
			version += " (interpolated)"
		}
		fmt.Fprintf(&b, "| %s | sm_ %s |\n", version, strings.Join(names, " "))
	}
	b.WriteString(`
An interpolated release is one whose nvlink nobody has asked: its options, messages and limits are those of the releases around
it, and its images are compared with those of its libnvJitLink (KIT-083). Its ` + "`--version`" + ` says so. For targets with Mercury
code these have the ABI of 13.0 already (KIT-160): "below" and "from" in the table say so.

## What differs

A row of the table is one field of arch.Profile, which groups them by the phase of the link that asks. Which options a release has
stands in [options.md](options.md), which records of .nv.compat in [attributes.md](attributes.md). The rules say how each was found.

| rule | what |`)
	for _, p := range Releases() {
		fmt.Fprintf(&b, " %d.%d |", p.Major, p.Minor)
	}
	b.WriteString("\n| --- | --- |" + strings.Repeat(" --- |", len(Releases())) + "\n")
	for n, d := range Differences {
		fmt.Fprintf(&b, "| %s | %s |", d.Rule, d.Says)
		for _, p := range Releases() {
			mark := " |"
			switch holds := Holds(p.API, d.Since, d.Until); {
			case n < len(ofABI) && p.Mercury != nil && holds:
				mark = " below sm_100 |"
			case n < len(ofABI) && p.Mercury != nil:
				mark = " from sm_100 |"
			case holds:
				mark = " yes |"
			}
			b.WriteString(mark)
		}
		b.WriteString("\n")
	}
	b.WriteString(`
## How far it goes

For sm_75 to sm_90 (sm_50 to sm_90 with 12.4, sm_35 to sm_90 with 11.8, sm_35 to sm_86 with 11.2) the outputs have the bytes of the release's nvlink; what is known to differ:

- 13.1 prints for the kernels before the first one with barriers part of an address with -v where the last input came out of a fat binary or an archive, other at each run; culink prints its size (KIT-099).
- Before 13.0 what is cut off or shorter than a header is read on into memory in a .ptx or a fat binary; culink says that it is damaged.
- 11.2 links programs of its own compiler: of 96 random ones for eight targets one differs, in the names of sections.
- 11.2 and 11.8 link 32-bit objects with -m32, which culink refuses (KIT-623).
- 11.8 knows no attribute that came with 12.0 or later, and reads brackets and backslashes in lists otherwise.

From sm_100 on the finalizer changes with the release. Of the 1,243 links of the corpus for sm_100 and later 1,209 are those of
13.1 to the last byte and message, 1,209 of 13.2, 1,209 of 13.3, 1,210 of 13.4, and 1,214 of 13.5 (cuconform run -toolkit 13.5). What
remains of 13.5: tensor memory 12 (scoreboards), products of matrices and hints 8 (KIT-055), scoreboards 5, and fences of 12.8 and 12.9 four. Of the real tools
sound finds two outputs each wrong, which 13.0 has as well (MERC-228).

Programs that people write tell more: kernels of 246 files of public programs, for sm_100 and sm_120. Of those of the compiler of 13.5
that nvlink 13.5 changes 534 of 569 and 532 of 569 have its schedules, and 27 and 34 keep their own. Of those of the compiler of 13.0, of 258
files, it changes 1,359 and 1,407, of which 1,185 and 1,175 have its schedules, and 174 and 232 are neither (KIT-060, KIT-144, KIT-177): scoreboards
of operands and results for later blocks, and waits before loops. Each of them has passed the checker ([schedules.md](schedules.md)), before which what begins too soon begins later (KIT-106).

Objects of 12.8 and 12.9 for sm_100 and later link as by later nvlinks (INFO-024, INFO-026, MERC-106 to MERC-109), which make
their schedules anew (MERC-160 to MERC-162). Of the kernels of 257 files of public programs that 13.0 changes 871 of 985 of 12.9 for sm_100 and 966 of 1,107 for sm_120 are
nvlink's, of 12.8 872 of 983 and 977 of 1,108; of random ones of 12.9 480 of 528 and 512 of 579. The others have other scoreboards and waits, and have passed the checker.

With --toolkit 12.8 and 12.9 the images for sm_100 and later are those of libnvJitLink (KIT-160 to KIT-168, KIT-170). Of 360 random
programs for sm_100, sm_101 and sm_120 by 12.8, and 600 for sm_100, 101, 103, 120 and 121 by 12.9, all have its bytes but for the tool note,
except two and four with two definitions of one name, of which the library makes an image and says so (cuconform hunt -toolkit 12.8 -seed 128129,
schedules compared too). Of 217 files of PTX in the corpus that ptxas takes 179 have, and 38 are refused by both. A link for
sm_103 of code for sm_100 in double precision is refused by choice, as with later releases.

With --toolkit 12.0 to 12.3, 12.5 and 12.6 the images are those of libnvJitLink (KIT-180 to KIT-183): of 150 random programs each for sm_50, 52,
70, 80 and 90 all have its bytes (cuconform hunt -toolkit 12.1 -seed 12700).

The corpus is recorded with 13.0, and holds what 13.1 to 13.5 do otherwise below sm_100 ([corpus.md](corpus.md)). Of its 2,097 links there
2,080 are those of 13.5 (cuconform run -toolkit 13.5). Of 12.4 it holds 194 links of 81 cases for sm_52 and sm_90, of what its own
compilers make. Of all 2,650 links that they can make there (cuconform record -toolkit 12.4 -sm 52,90) 2,622 are nvlink's; the others are
damaged, shorter than 56 bytes, or cubins of another class in files named .ptx. Of 11.8 it holds 116 links of 68 cases, most for sm_52, of 11.2 14 of three.
The links of other releases that the tests repeat
stand in cmd/culink/command/testdata/toolkits.
`)
	return b.String()
}
