package jitlink

import (
	"errors"

	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/input"
)

// Answers to messages are not part of the logs, which hold what the logs of NVIDIA's library hold. [Library.Answer]
// gets what a call has logged, and the inputs and settings of the link. It shows answers in any way that it chooses
// (JIT-088).

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

// A Message is a message that the library logs, with nvlink's message for the same case. A remark is not logged, and is
// only worth showing with an answer.
type Message struct {
	Text   string // as logged, with the ends of lines
	Means  diag.Diagnostic
	Remark bool
}

// asks records a message for Answer. It does not record nil, nor errors for which nvlink has no message.
func (k *link) asks(text string, err error) {
	var means diag.Diagnostic
	if k.library.Answer != nil && errors.As(err, &means) {
		k.messages = append(k.messages, Message{Text: text, Means: means})
	}
}

// remark records a remark for Answer.
func (k *link) remark(d diag.Diagnostic) {
	if k.library.Answer != nil {
		k.messages = append(k.messages, Message{Text: logged(d), Means: d, Remark: true})
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
