package input

import "github.com/culink/culink/linker/diag"

// The library of an -l option is linked only if it contains a host object for the machine of -cpu-arch. On a
// host for cross compilation, several folders have a library of the same name, one for each machine. Files
// that the command line names directly are not checked (LOAD-022).

// servesHost reports whether one of the first ELF members of an archive is for a machine. If none is, -l
// skips the archive. With -Werror that is an error, and checking another archive is then fatal (LOAD-041).
func (l *loader) servesHost(f *file, machine uint16) (bool, error) {
	if err := l.afterError(diag.ElfLinkInternal); err != nil {
		return false, err
	}
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
