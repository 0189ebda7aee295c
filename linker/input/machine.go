package input

// The library of an -l option is linked only if it contains a host object for the machine of -cpu-arch. On a
// host for cross compilation the same name occurs in several folders, one for each machine. Files named
// directly are not checked (LOAD-022).

// servesHost reports whether an archive has an ELF file for a machine among its first ELF members. If not, -l
// skips the archive.
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
