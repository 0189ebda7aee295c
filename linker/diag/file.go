package diag

// Programs that read messages want the file that a message is about, apart from its
// text (--json, OPT-503).

// fileValue gives, by message, which of its values, from 0, is the file that it is
// about. Messages about more than one file name the one that is wrong.
var fileValue = map[ID]int{
	CannotOpenOptionsFile: 0,
	TooManyOptionsFiles:   0,
	CannotOpenFile:        0,
	CannotReadFile:        0,

	CannotOpenInput:      0,
	ArchMismatch:         0,
	ABIMismatch:          0,
	NotEFCuda64:          0,
	NewerThanToolkit:     0,
	RecompileWith12:      0,
	LimitReached:         0,
	DamagedInput:         0,
	InputPassedOver:      0,
	ArrayWithoutPlace:    1,
	LibraryUnused:        0,
	NeedsCodeGenerator:   1,
	OutputLimited:        1,
	PartialLTO:           0,
	NeedsLTOCompiler:     0,
	NeedsPTXAS:           0,
	PTXASFailed:          0,
	ArchNotFound:         1,
	NoFatbinIn:           0,
	SizeOfTargetMismatch: 0,
	SkippingIncompatible: 0,

	NoToolsPatch:         1,
	MultipleDefinition:   1,
	SizeMismatch:         1,
	SpaceMismatch:        1,
	ManagedMismatch:      1,
	PrototypeMismatch:    1,
	CommonLargerThanInit: 1,
	MissingCompat:        2,
	OldTensorMemory:      0,
	BesideWholeProgram:   0,
	LostRelocation:       0,
	MovedVariable:        0,
	FinalizerFailed:      0,
	UndefinedReference:   1,

	CannotOpenOutput: 0,
	OutputIsTaken:    0,
	CannotWriteFile:  0,
}

// File is the name, as in the text, of the file that d is about; empty when the
// message names none. A member of an archive is "lib.a:member.o".
func (d Diagnostic) File() string {
	at, ok := fileValue[d.ID]
	if !ok || at >= len(d.Args) {
		return ""
	}
	name, _ := d.Args[at].(string)
	if name == "<input>" { // what has no file (DIAG-114)
		return ""
	}
	return name
}
