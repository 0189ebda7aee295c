package hunt

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
)

// A compilerOption is an option of ptxas from its help text. Each value is one word of the command line.
type compilerOption struct {
	name   string // "--opt-level"
	values []string
}

// notTried lists options that are not tried. They choose the input, the output or the target, or they print something
// without compiling.
var notTried = []string{
	"--apply-controls", "--compile-only", "--gpu-name", "--help", "--input-as-string", "--jobserver", "--list-arch",
	"--list-version", "--machine", "--options-file", "--output-file", "--version",
}

// sampledValues holds values for options whose values the help text does not list.
var sampledValues = map[string][]string{
	"--def-load-cache": {"ca", "cg", "cv"}, "--force-load-cache": {"ca", "cg", "cv"},
	"--def-store-cache": {"wb", "cg", "wt"}, "--force-store-cache": {"wb", "cg", "wt"},
	"--device-function-maxrregcount": {"24", "40", "archmax", "archmin"}, "--maxrregcount": {"24", "40", "archmax", "archmin"},
	"--entry": {"k"}, "--maxntid": {"64", "32,4,2"}, "--minnctapersm": {"2", "16"},
	"--opt-level": {"0", "1", "2", "3"}, "--register-usage-level": {"0", "5", "10"}, "--split-compile": {"0", "2"},
}

var (
	optionLine    = regexp.MustCompile(`^(--[\w-]+)(?: <(.*)>(?:,\.\.\.)?)?\s+\(-[\w-]+\)\s*$`)
	allowedValues = regexp.MustCompile(`Allowed values for this option:\s*('[^.]*')\.`)
)

// readOptions returns the options that a help text of ptxas lists. It fails if it knows no value for an option that
// needs one, so an option of a new release is never ignored.
func readOptions(help string) (list []compilerOption, err error) {
	var blocks [][]string
	for line := range strings.Lines(help) {
		if m := optionLine.FindStringSubmatch(strings.TrimRight(line, " \n")); m != nil {
			blocks = append(blocks, []string{m[1], m[2], ""})
		} else if len(blocks) > 0 {
			blocks[len(blocks)-1][2] += line
		}
	}
	for _, b := range blocks {
		name, kind, text := b[0], b[1], strings.Join(strings.Fields(b[2]), " ")
		if slices.Contains(notTried, name) {
			continue
		}
		o := compilerOption{name: name, values: sampledValues[name]}
		allowed := allowedValues.FindStringSubmatch(text)
		switch {
		case o.values != nil:
		case allowed != nil:
			o.values = strings.FieldsFunc(allowed[1], func(r rune) bool { return strings.ContainsRune("', ", r) })
		case strings.Contains(kind, "|"):
			o.values = strings.Split(kind, "|")
		case kind != "":
			return nil, fmt.Errorf("ptxas has an option %s <%s>, of which no value is known", name, kind)
		}
		list = append(list, o)
	}
	return list, nil
}

// arguments returns the command lines with which each unit is compiled: one without options, one for each value of each
// option, and each of these again with --device-debug.
func arguments(options []compilerOption) (list [][]string) {
	const debug = "--device-debug"
	list = append(list, nil, []string{debug})
	for _, o := range options {
		words := []string{o.name}
		if o.values != nil {
			words = nil
			for _, v := range o.values {
				words = append(words, o.name+"="+v)
			}
		}
		for _, word := range words {
			if word != debug {
				list = append(list, []string{word}, []string{debug, word})
			}
		}
	}
	return list
}

// options returns the options in the help text of a release's ptxas.
func (o *oracle) options() ([]compilerOption, error) {
	help, err := exec.Command(o.tool("ptxas"), "--help").Output()
	if err != nil {
		return nil, fmt.Errorf("ptxas --help: %w", err)
	}
	return readOptions(string(help))
}
