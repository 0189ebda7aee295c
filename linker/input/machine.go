package input

// A library that -l names serves a link only where it has a host object for the machine of
// -cpu-arch: on a host for cross compilation the same name stands in several folders, once for each machine.
// Files that are named directly are never asked (LOAD-022).

// servesHost reports whether an archive has an ELF file for a machine among its first
// members that are ELF files. Without one -l passes over it.
func (l *loader) servesHost(f *file, machine uint16) (bool, error) {
	for m, err := range l.reading().Members(f.data, l.budget) {
		if err != nil {
			return false, l.badArchive(f.name, err)
		}
		data, err := l.memberData(f, m)
		if err != nil {
			return false, err
		}
		if !l.beginsAsELF(m, data) {
			return false, nil
		}
		if u16(data, offMachine) == machine {
			return true, nil
		}
	}
	return false, nil
}
