package input

// PTXAS says how PTX is compiled.
type PTXAS struct {
	Path    string   // of the program; "" when there is none
	Options []string // more options for it
}
