package platform

import "runtime"

// machines maps the values of -cpu-arch to values of e_machine.
var machines = map[string]uint16{
	"AARCH64": 183,
	"ARMv7":   40,
	"PPC64LE": 21,
	"RISCV64": 243,
	"X86":     3,
	"X86_64":  62,
}

// Machine returns the machine, as in e_machine, of the libraries that -l links. cpuArch is the value of
// -cpu-arch. "unknown" and an empty value stand for the machine that nvlink is built for. It is built for two
// machines only (LOAD-022).
func Machine(cpuArch string) uint16 {
	if m, ok := machines[cpuArch]; ok {
		return m
	}
	return ownMachine(runtime.GOARCH)
}

// HostOf returns the value of -cpu-arch for a machine in e_machine. ok is false if there is none.
func HostOf(machine uint16) (cpuArch string, ok bool) {
	for name, m := range machines {
		if m == machine {
			return name, true
		}
	}
	return "", false
}

// ownMachine returns the machine of nvlink on an architecture, which is named as in GOARCH. For an
// architecture without nvlink it is X86_64.
func ownMachine(arch string) uint16 {
	if arch == "arm64" {
		return machines["AARCH64"]
	}
	return machines["X86_64"]
}
