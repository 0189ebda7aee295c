package mercury

import "github.com/culink/culink/linker/mercury/internal/machine"

// InstructionSize is the length of a machine instruction in bytes.
const InstructionSize = machine.Size
