package input

import (
	"runtime"
)

// A library that -l names serves a link only where it has a host object for the machine of
// -cpu-arch: on a host for cross compilation the same name stands in several folders, once for each machine.
// Files that are named directly are never asked (LOAD-022).

// hostMachines are the values of e_machine by the values of -cpu-arch.
var hostMachines = map[string]uint16{
	"AARCH64": 183,
	"ARMv7":   40,
	"PPC64LE": 21,
	"RISCV64": 243,
	"X86":     3,
	"X86_64":  62,
}

// hostMachine returns the machine of -cpu-arch; "unknown" and nothing stand for that of the linker's build.
func (l *loader) hostMachine() uint16 {
	if m, ok := hostMachines[l.opt.CPUArch]; ok {
		return m
	}
	if runtime.GOARCH == "arm64" {
		return hostMachines["AARCH64"]
	}
	return hostMachines["X86_64"]
}

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
