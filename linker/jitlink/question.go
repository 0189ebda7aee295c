package jitlink

import (
	"errors"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
)

// Answers to messages stand outside of the library: both logs hold what NVIDIA's hold. [Library.Answer] is told what a
// call has logged, and what the link is made of, and shows answers where it likes (JIT-088).

// A Question is what one call of a link has logged.
type Question struct {
	Settings *Settings
	Inputs   []Input        // all that were added to the link, taken or not
	Objects  []input.Object // what was taken out of them for the link
	Messages []Message
}

// An Input is what one AddData or AddFile has added.
type Input struct {
	Name string
	Data []byte
}

// A Message is what nvlink says in a case, and what the library says in its place.
type Message struct {
	Text  string // as logged, with the ends of lines
	Means diag.Diagnostic
}

// asks notes a message for Answer. A nil error and errors that nvlink has no message for are not noted.
func (k *link) asks(text string, err error) {
	var means diag.Diagnostic
	if k.library.Answer != nil && errors.As(err, &means) {
		k.messages = append(k.messages, Message{text, means})
	}
}

// answer calls Answer if the call has noted messages.
func (k *link) answer() {
	if len(k.messages) == 0 {
		return
	}
	q := &Question{Settings: k.settings, Inputs: k.inputs, Objects: k.linked, Messages: k.messages}
	k.messages = nil
	k.library.Answer(q)
}
