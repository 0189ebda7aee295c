package commandline

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Shell completion is a script that a shell reads at its start. The script knows the commands, their flags, and the kind
// of each flag's value.

// Shells lists the shells that completion supports.
var Shells = []string{"bash", "zsh", "fish"}

// A kind determines which completions a shell offers for a value.
type kind int

const (
	anyText kind = iota
	aFile
	aFolder
	aCommand
	aWord // one of a list
)

// kindOf returns the kind of a flag's value and the words that it may have. If name is "", it returns those of the
// arguments.
func (c *Command) kindOf(name, value string) (kind, []string) {
	if words := c.Words[name]; words != nil {
		return aWord, words
	}
	for _, k := range []struct {
		name string
		kind kind
	}{{"FOLDER", aFolder}, {"COMMAND", aCommand}, {"FILE", aFile}, {"A B", aFile}} {
		if strings.Contains(value, k.name) {
			return k.kind, nil
		}
	}
	return anyText, nil
}

// WriteCompletion writes the script for a shell of [Shells].
func (p *Program) WriteCompletion(w io.Writer, shell string) error {
	var b strings.Builder
	switch shell {
	case "bash":
		p.bash(&b)
	case "zsh":
		// zsh can use the completions for bash.
		fmt.Fprintf(&b, "#compdef %s\nautoload -U +X bashcompinit && bashcompinit\n", p.Name)
		p.bash(&b)
	case "fish":
		p.fish(&b)
	default:
		return fmt.Errorf("no completion for the shell %q, only for %s", shell, strings.Join(Shells, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Program) bash(b *strings.Builder) {
	fmt.Fprintf(b, `# Completion of %[1]s for bash: . <(%[1]s completion bash)
_%[1]s() {
  local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} kind= words= flags=
  local IFS=$' \t\n'
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '%[2]s help' -- "$word"))
    return
  fi
  if [ "$command" = help ]; then
    COMPREPLY=($(compgen -W '%[2]s' -- "$word"))
    return
  fi
  case $command in
`, p.Name, strings.Join(p.names(), " "))
	bashKind := func(k kind, words []string) string {
		switch k {
		case aFile:
			return "kind=file"
		case aFolder:
			return "kind=folder"
		case aCommand:
			return "kind=command"
		case aWord:
			return fmt.Sprintf("kind=words words='%s'", strings.Join(words, " "))
		}
		return "kind=text"
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		var names []string
		fmt.Fprintf(b, "  %s)\n    case $last in\n", c.Name)
		for _, f := range c.flagsOf() {
			names = append(names, "-"+f.Name)
			if value, _ := describe(f); value != "" {
				fmt.Fprintf(b, "    -%s|--%s) %s ;;\n", f.Name, f.Name, bashKind(c.kindOf(f.Name, value)))
			}
		}
		fmt.Fprintf(b, "    *) %s flags='%s' ;;\n    esac ;;\n", bashKind(c.kindOf("", c.Arguments)), strings.Join(names, " "))
	}
	fmt.Fprintf(b, `  esac
  case $word in
  -*) COMPREPLY=($(compgen -W "$flags" -- "$word")); return ;;
  esac
  case $kind in
  file) COMPREPLY=($(compgen -f -- "$word")) ;;
  folder) COMPREPLY=($(compgen -d -- "$word")) ;;
  command) COMPREPLY=($(compgen -c -f -- "$word")) ;;
  words) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
  esac
}
complete -o filenames -F _%[1]s %[1]s
`, p.Name)
}

func (p *Program) fish(b *strings.Builder) {
	quote := func(s string) string {
		return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
	}
	fmt.Fprintf(b, "# Completion of %[1]s for fish: %[1]s completion fish | source\n", p.Name)
	fmt.Fprintf(b, "complete -c %s -f\n", p.Name)
	for i := range p.Commands {
		c := &p.Commands[i]
		fmt.Fprintf(b, "complete -c %s -n __fish_use_subcommand -a %s -d %s\n", p.Name, c.Name, quote(c.Summary))
		seen := fmt.Sprintf("complete -c %s -n '__fish_seen_subcommand_from %s'", p.Name, c.Name)
		fishKind := func(k kind, words []string) string {
			switch k {
			case aFile:
				return " -F"
			case aFolder:
				return " -a '(__fish_complete_directories)'"
			case aCommand:
				return " -a '(__fish_complete_command)'"
			case aWord:
				return " -a " + quote(strings.Join(words, " "))
			}
			return ""
		}
		if arguments := fishKind(c.kindOf("", c.Arguments)); arguments != "" {
			b.WriteString(seen + arguments + "\n")
		}
		for _, f := range c.flagsOf() {
			value, text := describe(f)
			line := fmt.Sprintf("%s -o %s -d %s", seen, f.Name, quote(text))
			if k, words := c.kindOf(f.Name, value); value != "" && k == aFile {
				line += " -r -F"
			} else if value != "" {
				line += " -x" + fishKind(k, words)
			}
			b.WriteString(line + "\n")
		}
	}
	fmt.Fprintf(b, "complete -c %s -n '__fish_seen_subcommand_from help' -a %s\n", p.Name, quote(strings.Join(slices.Sorted(slices.Values(p.names())), " ")))
}
