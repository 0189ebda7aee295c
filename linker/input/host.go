package input

// A Host is a host object that carries relocatable device code.
type Host struct {
	Name string // as in messages
}
