package platform

import "runtime"

// machines are the values of e_machine by the values of -cpu-arch.
var machines = map[string]uint16{
	"AARCH64": 183,
	"ARMv7":   40,
	"PPC64LE": 21,
	"RISCV64": 243,
	"X86":     3,
	"X86_64":  62,
}

// Machine returns the machine whose libraries -l takes, as in e_machine, by the value of -cpu-arch; "unknown" and nothing stand
// for the machine that nvlink is built for: it is built for those two alone (LOAD-022).
func Machine(cpuArch string) uint16 {
	if m, ok := machines[cpuArch]; ok {
		return m
	}
	return ownMachine(runtime.GOARCH)
}

// HostOf returns the value of -cpu-arch for a machine, as in e_machine; false where none stands for it.
func HostOf(machine uint16) (cpuArch string, ok bool) {
	for name, m := range machines {
		if m == machine {
			return name, true
		}
	}
	return "", false
}

// ownMachine is the machine of the nvlink for an architecture, as GOARCH spells it; systems without one go by X86_64.
func ownMachine(arch string) uint16 {
	if arch == "arm64" {
		return machines["AARCH64"]
	}
	return machines["X86_64"]
}
