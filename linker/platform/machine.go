package platform

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
// -cpu-arch. "unknown" and an empty value stand for the machine that nvlink is built for (LOAD-022).
func (p *Platform) Machine(cpuArch string) uint16 {
	if m, ok := machines[cpuArch]; ok {
		return m
	}
	return machines[p.CPUArch]
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
