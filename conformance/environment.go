package conformance

import (
	"hash/fnv"
	"os"
	"slices"
	"strconv"

	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// What a linker writes and says follows from its command line and inputs. The language and the time
// zone of its user, how wide the terminal is, how deep the folder, how many processors there
// are: all that surrounds a link and has no part in it. A run links each case amid other
// surroundings, so that a linker that looks at them is noticed. Which ones a link has follows
// from its name, so that it fails again when it is run alone.

// surroundings are what a link must not depend on.
type surroundings struct {
	env    []string // beside the small environment
	locale string   // LC_ALL, where the system has it
	folder string   // of the link, below its scene
	alone  bool     // on one processor
}

// plainSurroundings are those of recordings.
var plainSurroundings = surroundings{locale: "C", folder: "work"}

// The folders, locales and variables that links have around them.
var (
	folders   = []string{"work", "a folder with blanks", "d\u00e9p\u00f4t", "deep/deeper/" + longName + "/" + longName}
	locales   = []string{"C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8", "ja_JP.eucJP"}
	variables = [][]string{
		nil,
		{"TZ=Asia/Kathmandu", "USER=somebody", "LOGNAME=somebody", "SOURCE_DATE_EPOCH=315532800"},
		{"TERM=xterm-256color", "COLORTERM=truecolor", "CLICOLOR_FORCE=1", "FORCE_COLOR=1", "COLUMNS=20", "LINES=5"},
		{"DEBUG=1", "VERBOSE=1", "V=1", "CI=true", "LD_DEBUG_OUTPUT=none", "NVLINK_FLAGS=-v", "LDFLAGS=-v", "NVCC_APPEND_FLAGS=-g"},
		{"OMP_NUM_THREADS=3", "GOMAXPROCS=7", "MAKEFLAGS=-j5", "TMP=/nowhere", "TEMP=/nowhere", "XDG_CACHE_HOME=/nowhere"},
	}
)

// longName is as long as the parts of a path often are at most.
const longName = "a-name-that-is-so-long-that-a-path-of-two-of-them-and-a-file-does-not-fit-into-two-hundred-and-fifty-six-letters-any-more"

// surroundingsOf are those of step i of the case with this ID on a target.
func surroundingsOf(id, sm string, i int) surroundings {
	sum := fnv.New32a()
	sum.Write([]byte(id + " " + sm + " " + strconv.Itoa(i)))
	n := int(sum.Sum32() >> 1)
	pick := func(of int) (chosen int) {
		chosen = n % of
		n /= of
		return chosen
	}
	return surroundings{
		folder: folders[pick(len(folders))],
		locale: locales[pick(len(locales))],
		env:    variables[pick(len(variables))],
		alone:  pick(2) == 1,
	}
}

// amid returns the linker amid other surroundings.
func (l *Linker) amid(s surroundings) *Linker {
	other := *l
	other.around = s
	return &other
}

// on is the linker for cases of a platform, for which culink stands in then.
func (l *Linker) on(name string) *Linker {
	if name == platform.Native().Name && os.Getenv(option.PlatformVariable) == "" {
		return l
	}
	other := *l
	other.Env = append(slices.Clip(other.Env), option.PlatformVariable+"="+name)
	return &other
}

// surroundings are those of the linker, where nobody has said any those of recordings.
func (l *Linker) surroundings() surroundings {
	if l.around.folder == "" {
		return plainSurroundings
	}
	return l.around
}
