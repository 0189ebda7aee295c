package commandline

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// These flags reject numbers without a meaning.

// A number is the value of a flag with a lower bound.
type number struct {
	value *int
	least int
}

// Number adds a flag for an integer. The flag rejects values below least. The initial value of the variable is the
// default, which may be smaller.
func Number(flags *flag.FlagSet, value *int, name string, least int, usage string) {
	flags.Var(number{value, least}, name, usage)
}

func (n number) String() string {
	if n.value == nil {
		return ""
	}
	return strconv.Itoa(*n.value)
}

func (n number) Set(text string) error {
	v, err := strconv.Atoi(text)
	if err != nil {
		return errors.New("not a number")
	}
	if v < n.least {
		return fmt.Errorf("at least %d", n.least)
	}
	*n.value = v
	return nil
}

// A span is the value of a flag for a duration.
type span struct{ value *time.Duration }

// Span adds a flag for a positive duration. The initial value of the variable is the default.
func Span(flags *flag.FlagSet, value *time.Duration, name, usage string) {
	flags.Var(span{value}, name, usage)
}

func (s span) String() string {
	if s.value == nil || *s.value == 0 {
		return ""
	}
	return shortSpan(s.value.String())
}

// shortSpan removes the zeros of "2m0s".
func shortSpan(text string) string {
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	return text
}

func (s span) Set(text string) error {
	v, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("not a time such as 300ms, 30s or 2m")
	}
	if v <= 0 {
		return errors.New("a time above zero is needed")
	}
	*s.value = v
	return nil
}
