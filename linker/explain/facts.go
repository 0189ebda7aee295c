package explain

import (
	"fmt"
	"strings"
)

// An explanation as text consists of facts. Each fact has a topic and a text.

// A teller writes the facts of an explanation.
type teller struct {
	*Explanation
	name  func(string) string
	facts []Fact
}

// Facts returns the facts of the explanation. The function name returns the symbol names to show.
func (e *Explanation) Facts(name func(string) string) []Fact {
	t := &teller{Explanation: e, name: name}
	if e.Source != "" {
		t.add("means", "%s", e.Source)
	}
	t.definition()
	if e.Unplaced {
		t.inputsOnly()
		return t.facts
	}
	disposition := dispositionFacts[e.Disposition]
	t.reach()
	switch {
	case e.Disposition == DroppedWithKernel:
		t.add(disposition.Topic, disposition.Text, name(e.Owner))
	case e.Disposition != "":
		t.add(disposition.Topic, "%s", disposition.Text)
	}
	if e.Reach.AddressTaken {
		t.add("address", "is taken; calls through pointers of its prototype may reach it")
	}
	switch {
	case e.Needs == nil:
	case e.Kind == Kernel:
		t.kernelNeeds()
	default:
		t.functionNeeds()
	}
	for i := range e.Places {
		t.place(&e.Places[i])
	}
	return t.facts
}

func (t *teller) add(topic, format string, args ...any) {
	t.facts = append(t.facts, Fact{topic, fmt.Sprintf(format, args...)})
}

// mostNames is the maximum number of names in a list.
const mostNames = 12

// names lists symbols.
func (t *teller) names(list []string) string {
	var b strings.Builder
	for i, name := range list {
		if i == mostNames {
			fmt.Fprintf(&b, " and %d more", len(list)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(t.name(name))
	}
	return b.String()
}

func (t *teller) definition() {
	d := &t.Definition
	switch {
	case t.Kind == Unknown:
		t.add("defined in", "no input names it")
	case d.By == ByInput && d.Weak:
		t.add("defined in", "%s, weak", d.Input)
	case d.By == ByInput:
		t.add("defined in", "%s", d.Input)
	case d.By == ByDriver:
		t.add("defined in", "the driver; first named in %s", d.Input)
	case d.By == ByProgram:
		t.add("defined in", "the program that loads it")
	case d.By == ByLaunch:
		t.add("defined in", "each launch of a kernel; first named in %s", d.Input)
	default:
		t.add("defined in", "no input; first named in %s", d.Input)
	}
	if d.AliasOf != "" {
		t.add("defined in", "the code of %s, of which it is a second name", t.name(d.AliasOf))
	}
	topic := "unused in"
	if t.Unplaced {
		topic = "also in" // which of them would prevail is not known
	}
	for i, input := range d.Unused {
		if i < len(d.Differs) && d.Differs[i] != "" {
			t.add(topic, "%s, which differs: %s", input, d.Differs[i])
		} else {
			t.add(topic, "%s", input)
		}
	}
}

// inputsOnly writes the facts that follow from the inputs alone.
func (t *teller) inputsOnly() {
	for _, code := range t.Reach.Code {
		t.add("named in", "code of %s", t.name(code))
	}
	for _, data := range t.Reach.Data {
		t.add("named in", "%s", data)
	}
	t.add("not known", "who reaches it, and its place: the link failed before")
}

func (t *teller) reach() {
	r := &t.Reach
	if len(r.Path) > 0 {
		t.add("reached by", "%s", r.Path.text(t.name))
	}
	if len(r.Kernels) > 1 {
		t.add("reached by", "%d kernels: %s", len(r.Kernels), t.names(r.Kernels))
	}
	if t.Kind == Kernel || t.Kind == Function || t.Kind == Unknown {
		return
	}
	if len(r.Code) > 1 || len(r.Path) == 0 && len(r.Code) > 0 {
		t.add("named in", "code of %s", t.names(r.Code))
	}
	for _, name := range r.Data {
		t.add("named in", "%s", name)
	}
	if len(r.Code)+len(r.Data) == 0 {
		t.add("reached by", "nothing names it")
	}
}

// reason returns why a stack size is unknown.
func (t *teller) reason() string {
	if path := t.Needs.Stack.Path; len(path) > 0 {
		return path.text(t.name) + ", and so on"
	}
	return "a frame of unknown size"
}

func (t *teller) functionNeeds() {
	n := t.Needs
	t.add("registers", "%d", n.Registers)
	if len(n.Raises) > 0 {
		t.add("registers", "raises to %d: %s", n.Registers, t.names(n.Raises))
	}
	switch {
	case n.Stack.Alone:
		t.add("stack", "%d bytes of its own", n.Stack.Frame)
	case n.Stack.Unknown:
		t.add("stack", "%d bytes of its own, unknown with what it calls: %s", n.Stack.Frame, t.reason())
	default:
		t.add("stack", "%d bytes of its own, %d with what it calls", n.Stack.Frame, n.Stack.Bytes)
	}
	t.barriers()
	for _, u := range n.SharedUsed {
		if u.Extern {
			t.add("shared", "%s, extern", t.name(u.Name))
		} else {
			t.add("shared", "%s, %d bytes", t.name(u.Name), u.Size)
		}
	}
	for _, b := range n.Constants {
		t.add("constants", "%d bytes in bank %d of each kernel that reaches it", b.Size, b.Bank)
	}
}

func (t *teller) kernelNeeds() {
	n := t.Needs
	if len(n.RaisedBy) > 0 {
		raiser := n.RaisedBy[len(n.RaisedBy)-1].Name
		t.add("registers", "%d, raised from %d by %s: %s", n.Registers, n.OwnRegisters, t.name(raiser), n.RaisedBy.text(t.name))
	} else {
		t.add("registers", "%d", n.Registers)
	}
	switch {
	case n.Stack.Unknown:
		t.add("stack", "unknown: %s", t.reason())
	case len(n.Stack.Path) > 1:
		frames := strings.ReplaceAll(strings.Trim(fmt.Sprint(n.Stack.Frames), "[]"), " ", " + ")
		t.add("stack", "%d bytes on the path %s: %s", n.Stack.Bytes, n.Stack.Path.text(t.name), frames)
	default:
		t.add("stack", "%d bytes", n.Stack.Bytes)
	}
	t.barriers()
	if n.Shared > 0 {
		t.add("shared", "%d bytes", n.Shared)
	}
	for _, b := range n.Constants {
		t.add("constants", "%d bytes in bank %d", b.Size, b.Bank)
		for _, by := range b.By {
			t.add("constants", "%d bytes of bank %d by %s of %s", by.Size, b.Bank, t.name(by.Function), by.Input)
		}
	}
	if len(n.Reaches) > 0 {
		t.add("reaches", "%s", t.names(n.Reaches))
	}
}

func (t *teller) barriers() {
	if n := t.Needs.Barriers; n > 0 {
		t.add("barriers", "%d", n)
	}
}

func (t *teller) place(p *Place) {
	switch p.Why {
	case TooLate:
		t.add("place", "none: it was an extern array before %s gave it a size; name that file first", p.Input)
	case AfterStatic:
		t.add("place", "offset %#x in the code of %s: after the static variables of each kernel that reaches it: %s", p.Offset, t.name(p.Code), t.names(p.Kernels))
	case ByLastLink:
		t.add("place", "%d bytes, alignment %d: the last link places it", p.Size, p.Align)
	case ReachedByOne:
		t.add("place", "offset %#x, %d bytes: only kernel %s reaches it, so it is one of its own variables", p.Offset, p.Size, t.names(p.Kernels))
	case OfOneKernel:
		t.add("place", "offset %#x, %d bytes: a variable of kernel %s", p.Offset, p.Size, t.names(p.Kernels))
	case ReachedBySeveral:
		t.add("place", "offset %#x, %d bytes: one place in the kernels that reach it: %s", p.Offset, p.Size, t.names(p.Kernels))
	case InSlot:
		t.add("place", "slot at %#x of constant bank 0, for the driver to fill", p.Offset)
	case AfterEarlierInputs:
		t.add("place", "offset %#x of %s, %d bytes: after what earlier inputs put there", p.Offset, p.Section, p.Size)
		if p.Bank != nil {
			t.add("constants", "%d bytes in bank %d of all kernels", p.Size, *p.Bank)
		}
	}
	for _, other := range p.Overlaps {
		t.add("place", "shares bytes with %s, which no kernel reaches together with it", t.name(other))
	}
}
