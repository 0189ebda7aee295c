package option

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
	Help    string // what its value says
}

// AcceptLostVariable stands for --accept-lost-relocations.
const AcceptLostVariable = "CULINK_ACCEPT_LOST_RELOCATIONS"

// Variables lists every variable of culink that changes the outcome of a link (OPT-520).
var Variables = []Variable{
	{Name: AcceptLostVariable, Option: "accept-lost-relocations",
		Help: "anything but 0: link what an earlier -r has dropped the relocations of, with warnings"},
	{Name: "CULINK_ADVICE", Option: "advice",
		Help: "0: no answers below messages at a terminal"},
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

// Environment returns the variables that are set, with their values.
func Environment(getenv func(string) string) map[string]string {
	set := map[string]string{}
	for i := range Variables {
		if value := getenv(Variables[i].Name); value != "" {
			set[Variables[i].Name] = value
		}
	}
	return set
}
