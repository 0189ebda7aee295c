package input

// library loads what -l names.
func (l *loader) library(name string) error {
	return nil
}
