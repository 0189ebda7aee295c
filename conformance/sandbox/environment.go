package sandbox

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

// Environment are what a link must not depend on.
type Environment struct {
	Variables []string // beside the small environment
	Locale    string   // LC_ALL, where the system has it
	Folder    string   // of the link, below its scene
	Alone     bool     // on one processor
}

// plainEnvironment are those of recordings.
var plainEnvironment = Environment{Locale: "C", Folder: "work"}

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

// EnvironmentOf are those of step i of the case with this ID on a target.
func EnvironmentOf(id, sm string, i int) Environment {
	sum := fnv.New32a()
	sum.Write([]byte(id + " " + sm + " " + strconv.Itoa(i)))
	n := int(sum.Sum32() >> 1)
	pick := func(of int) (chosen int) {
		chosen = n % of
		n /= of
		return chosen
	}
	return Environment{
		Folder:    folders[pick(len(folders))],
		Locale:    locales[pick(len(locales))],
		Variables: variables[pick(len(variables))],
		Alone:     pick(2) == 1,
	}
}

// In returns the linker amid other surroundings.
func (l *Linker) In(s Environment) *Linker {
	other := *l
	other.around = s
	return &other
}

// On is the linker for cases of a platform, for which culink stands in then.
func (l *Linker) On(name string) *Linker {
	if name == platform.Native().Name && os.Getenv(option.PlatformVariable) == "" {
		return l
	}
	other := *l
	other.Env = append(slices.Clip(other.Env), option.PlatformVariable+"="+name)
	return &other
}

// environmentOrPlain are those of the linker, where nobody has said any those of recordings.
func (l *Linker) environmentOrPlain() Environment {
	if l.around.Folder == "" {
		return plainEnvironment
	}
	return l.around
}
