package option

import (
	"path/filepath"
	"strings"
)

// A build calls the linker through other programs, which do not always pass an option on.
// So some options can also be given in the environment: each variable stands for one option,
// where the command line does not have that option. Nothing else in the environment changes
// what a link makes, but for PATH, in which programs are looked for, and, with --make-shadow,
// CUDA_PATH and CUDA_HOME.

// A Variable is a variable of the environment that stands for an option.
type Variable struct {
	Name    string // "CULINK_KEEP_RELOCS"
	Option  string // long name
	With    string // long name of the option without which the variable says nothing; mostly empty
	Program bool   // its value names a program or a library that is run
	File    bool   // its value may name a file that is written: see [NamesFile]
	Help    string // what its value says
}

// AcceptLostVariable stands for --accept-lost-relocations.
const AcceptLostVariable = "CULINK_ACCEPT_LOST_RELOCATIONS"

// AdviceVariable says where answers to messages go.
const AdviceVariable = "CULINK_ADVICE"

// Variables lists every variable of culink that changes the outcome of a link (OPT-520).
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

// ReadEnvironment sets the switches that the environment turns on as if they stood on the
// command line (OPT-520). Options with a text look for theirs where they
// are used. getenv is os.Getenv.
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

// NamesFile reports whether the value of a variable with File is the path of a file: it has a
// slash, so that a file of the working folder is "./advice.txt".
func NamesFile(value string) bool { return strings.ContainsAny(value, pathSeparators) }

// pathSeparators are those of any system that this program runs on.
var pathSeparators = "/" + string(filepath.Separator)

func (v *Variable) isPath(value string) bool { return v.File && NamesFile(value) }

// Restored reports whether a recorded value is set again when a link is done again: not one that
// names a program or a file, which belong to the machine of the first link (OPT-521).
func (v *Variable) Restored(value string) bool { return !v.Program && !v.isPath(value) }

// Environment returns the variables that are set, with their values, but for a value that names
// a file that is written.
func Environment(getenv func(string) string) map[string]string {
	set := map[string]string{}
	for i := range Variables {
		if value := getenv(Variables[i].Name); value != "" && !Variables[i].isPath(value) {
			set[Variables[i].Name] = value
		}
	}
	return set
}
