package option

import (
	"path/filepath"
	"strings"
)

// A build calls the linker through other programs, which do not always pass options on. Some options can
// therefore also be set in the environment. Each variable stands for one option, and takes effect if the
// command line does not have that option. Only three other variables affect a link: PATH, in which programs
// are looked up, and with --make-shadow also CUDA_PATH and CUDA_HOME.

// A Variable is an environment variable that replaces an option.
type Variable struct {
	Name    string // "CULINK_KEEP_RELOCS"
	Option  string // long name
	With    string // long name of the option required for the variable to have an effect; mostly empty
	Program bool   // its value is the path of a program or library that is run
	File    bool   // its value may be the path of a file that is written: see [NamesFile]
	Help    string // the meaning of its value
}

// AcceptLostVariable replaces --accept-lost-relocations.
const AcceptLostVariable = "CULINK_ACCEPT_LOST_RELOCATIONS"

// AdviceVariable determines where answers to messages are written.
const AdviceVariable = "CULINK_ADVICE"

// Variables lists every variable of culink that affects the outcome of a link (OPT-520).
var Variables = []Variable{
	{Name: AcceptLostVariable, Option: "accept-lost-relocations",
		Help: "anything but 0: link what an earlier -r has dropped the relocations of, with warnings"},
	{Name: AdviceVariable, Option: "advice", File: true,
		Help: "0: no answers; 1: answers below messages, also through a pipe and by the name nvlink; a path with a slash: answers are appended to that file, and stderr is nvlink's"},
	{Name: "CULINK_KEEP_RELOCS", Option: "keep-relocs", With: "relocatable-link",
		Help: "anything but 0: every -r keeps what a later link needs; the tool note says so, as for the option"},
	{Name: "CULINK_LTO", Option: "lto-compiler", Program: true,
		Help: "the compiler for -lto"},
	{Name: PlatformVariable, Option: platformOption,
		Help: "the system whose nvlink culink stands in for"},
	{Name: "CULINK_PTXAS", Option: "ptxas", Program: true,
		Help: "the assembler for PTX inputs"},
	{Name: ToolkitVariable, Option: toolkitOption,
		Help: "the release of the toolkit whose nvlink culink stands in for"},
}

// ReadEnvironment sets the switches that the environment turns on, as if they were on the command line
// (OPT-520). Options with a text are not set here: their variables are read where they are used. getenv is
// os.Getenv.
func (s *Settings) ReadEnvironment(getenv func(string) string) {
	for i := range Variables {
		v := &Variables[i]
		o := byLong(s.Toolkit, v.Option)
		if o.Kind != Switch || v.With != "" && !s.Given(v.With) {
			continue
		}
		if IsOn(getenv(v.Name)) {
			*o.field(s).(*bool), s.given[o.Long] = true, true
		}
	}
}

// IsOn reports whether the value of a variable turns a switch on.
func IsOn(value string) bool { return value != "" && value != "0" }

// NamesFile reports whether the value of a variable with File set is the path of a file. A path contains a
// slash, so that a file in the working folder is written as "./advice.txt".
func NamesFile(value string) bool { return strings.ContainsAny(value, pathSeparators) }

// pathSeparators are the separators of all systems that this program runs on.
var pathSeparators = "/" + string(filepath.Separator)

func (v *Variable) isPath(value string) bool { return v.File && NamesFile(value) }

// Restored reports whether a recorded value is set again when a link is repeated. Paths of programs and files
// are not set, because they belong to the machine of the first link (OPT-521).
func (v *Variable) Restored(value string) bool { return !v.Program && !v.isPath(value) }

// Environment returns the variables that are set, with their values. It omits paths of files that are written.
func Environment(getenv func(string) string) map[string]string {
	set := map[string]string{}
	for i := range Variables {
		if value := getenv(Variables[i].Name); value != "" && !Variables[i].isPath(value) {
			set[Variables[i].Name] = value
		}
	}
	return set
}
