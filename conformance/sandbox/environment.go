package sandbox

import (
	"hash/fnv"
	"os"
	"slices"
	"strconv"

	"github.com/culink/culink/linker/option"
	"github.com/culink/culink/linker/platform"
)

// The output of a linker must depend only on the command line and the inputs. It must not depend on the user's language
// and time zone, the width of the terminal, the depth of the folder or the number of processors. So a run links each
// case in a different environment, which reveals such a dependency. The environment follows from the name of the link,
// so failures can be reproduced.

// An Environment has the conditions that must not affect a link.
type Environment struct {
	Variables []string // in addition to the variables of every linker
	Locale    string   // LC_ALL, where the system has it
	Folder    string   // folder of the link, relative to its place
	Alone     bool     // on one processor
}

// plainEnvironment is the environment in which recordings are made.
var plainEnvironment = Environment{Locale: "C", Folder: "work"}

// The folders, locales and variables that environments use.
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

// longName is about as long as a file name can be.
const longName = "a-name-that-is-so-long-that-a-path-of-two-of-them-and-a-file-does-not-fit-into-two-hundred-and-fifty-six-letters-any-more"

// EnvironmentOf returns the environment of step i of the case with this ID on a target.
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

// On returns the environment for cases of a platform. On Windows, the path of a working folder has at most 258
// characters.
func (s Environment) On(name string) Environment {
	if name == platform.Windows.Name && len(s.Folder) > len(longName) {
		s.Folder = plainEnvironment.Folder
	}
	return s
}

// In returns the linker in another environment.
func (l *Linker) In(s Environment) *Linker {
	other := *l
	other.env = s
	return &other
}

// On returns the linker for cases of a platform. If it is culink, an option names the platform.
func (l *Linker) On(name string) *Linker {
	if name == platform.Native().Name && os.Getenv(option.PlatformVariable) == "" {
		return l
	}
	other := *l
	other.Env = append(slices.Clip(other.Env), option.PlatformVariable+"="+name)
	return &other
}

// environmentOrPlain returns the environment of the linker, or that of recordings if none is set.
func (l *Linker) environmentOrPlain() Environment {
	if l.env.Folder == "" {
		return plainEnvironment
	}
	return l.env
}
