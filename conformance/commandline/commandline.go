// Package commandline implements the command line of a program with subcommands. The parser, the help texts, the shell
// completion and the manual pages are made from one table of commands, so they cannot disagree.
//
// A command defines its flags on a [flag.FlagSet]. As in package flag, the word in backquotes in a flag's text names its
// value. This name also determines what a shell completes: FILE, FOLDER or COMMAND. Flags may stand before, between and
// after other arguments, with one dash or two. After "--" every word is an argument.
package commandline

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/culink/culink/linker/show"
)

// Exit statuses of a program.
const (
	OK      = 0 // all is well
	Differs = 1 // a case fails, or something differs
	Misuse  = 2 // the command line, or a file that it names, is wrong
)

// A Program has a table of commands.
type Program struct {
	Name     string
	Summary  string // a sentence
	Status   string // the meaning of the exit statuses
	Commands []Command
}

// A Command is one word after the program's name.
type Command struct {
	Name    string
	Summary string // a line, for the list of commands
	// Arguments shows the arguments after the flags, such as "A B" or "FILE...". If it is empty, the command accepts none.
	Arguments string
	About     string              // paragraphs for help and manual page; may be empty
	Words     map[string][]string // what the values of a flag may be; "" for the arguments
	// Setup defines the flags. It returns the action that runs after they are parsed.
	Setup func(flags *flag.FlagSet) Action
}

// An Action does the work of a command and prints its results. An error means misuse, or a failure that prevents a
// result.
type Action func(ctx context.Context, args []string, stdout, stderr io.Writer) (status int, err error)

// errArguments reports a wrong number of arguments.
var errArguments = errors.New("wrong arguments")

// Expect returns an error if there are too few or too many arguments. least and most are the limits. If most is
// negative, there is no upper limit.
func Expect(args []string, least, most int) error {
	if len(args) < least || most >= 0 && len(args) > most {
		return errArguments
	}
	return nil
}

// Run runs the command that the words after the program's name select, and returns the exit status.
func (p *Program) Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		p.writeHelp(stderr)
		return Misuse
	}
	name, rest := args[0], args[1:]
	if isHelp(name) || name == "help" {
		if len(rest) == 0 || name != "help" {
			p.writeHelp(stdout)
			return OK
		}
		name, rest = rest[0], []string{"-help"}
	}
	c := p.command(name)
	if c == nil {
		fmt.Fprintf(stderr, "%s: no command %q%s\n", p.Name, name, suggest(name, append(p.names(), "help"), ""))
		return Misuse
	}
	if slices.ContainsFunc(before(rest, "--"), isHelp) {
		p.writeCommandHelp(stdout, c)
		return OK
	}
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	run := c.Setup(flags)
	rest, err := parse(flags, rest)
	if err == nil && c.Arguments == "" && len(rest) > 0 {
		err = fmt.Errorf("unexpected argument %q", rest[0])
	}
	status := Misuse
	if err == nil {
		status, err = run(ctx, rest, stdout, stderr)
	}
	switch {
	case errors.Is(err, errArguments):
		fmt.Fprintf(stderr, "usage: %s\n", p.usage(c))
		return Misuse
	case err != nil:
		// If a name in the error contains newlines, the lines after them are indented, so that they do not look like lines
		// of the program.
		fmt.Fprintf(stderr, "%s %s: %s\n", p.Name, c.Name, strings.ReplaceAll(show.Lines(err.Error()), "\n", "\n  "))
		return Misuse
	}
	return status
}

// Run runs the command as the only one of a program, with the words after its name.
func (c Command) Run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	p := &Program{Name: "cuconform", Commands: []Command{c}}
	return p.Run(ctx, append([]string{c.Name}, args...), stdout, stderr)
}

func (p *Program) command(name string) *Command {
	i := slices.IndexFunc(p.Commands, func(c Command) bool { return c.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Commands[i]
}

func (p *Program) names() (names []string) {
	for _, c := range p.Commands {
		names = append(names, c.Name)
	}
	return names
}

func isHelp(word string) bool { return slices.Contains([]string{"-h", "-help", "--help"}, word) }

// before returns the part of a list before a word.
func before(list []string, word string) []string {
	if i := slices.Index(list, word); i >= 0 {
		return list[:i]
	}
	return list
}

// flagsOf returns the flags of a command, sorted by name.
func (c *Command) flagsOf() (all []*flag.Flag) {
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	c.Setup(flags)
	flags.VisitAll(func(f *flag.Flag) { all = append(all, f) })
	return all
}

// isSwitch reports whether a flag takes no value.
func isSwitch(f *flag.Flag) bool {
	b, ok := f.Value.(interface{ IsBoolFlag() bool })
	return ok && b.IsBoolFlag()
}

// describe splits the text of a flag into the name of its value and the description. The name is empty for a switch. The
// description includes the default, unless it is the zero value.
func describe(f *flag.Flag) (value, text string) {
	value, text = flag.UnquoteUsage(f)
	if isSwitch(f) {
		value = ""
	}
	if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && !strings.Contains(text, "(default") {
		text += fmt.Sprintf(" (default: %s)", f.DefValue)
	}
	return value, text
}
