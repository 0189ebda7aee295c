package diag

// Programs that read messages need the file of a message separately from its text (--json, OPT-503).

// fileValue maps a message to the index of the value that is its file. If a message is about several files, it
// is the file with the error.
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
	RecompileWith7:       0,
	RecompileWith12:      0,
	LimitReached:         0,
	DamagedInput:         0,
	InputPassedOver:      0,
	ArrayWithoutPlace:    1,
	LibraryUnused:        0,
	NeedsCodeGenerator:   1,
	ReopenedWholeProgram: 1,
	ReplacedWholeProgram: 1,
	SlotsOfWholeProgram:  1,
	OutputLimited:        1,
	PartialLTO:           0,
	NeedsLTOCompiler:     0,
	NeedsPTXAS:           0,
	PTXASFailed:          0,
	ArchNotFound:         1,
	NoHostCode:           0,
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
	NewerThanOption:      0,
	BesideWholeProgram:   0,
	LostRelocation:       0,
	MovedVariable:        0,
	FinalizerFailed:      0,
	UndefinedReference:   1,

	CannotOpenOutput: 0,
	OutputIsTaken:    0,
	CannotWriteFile:  0,
}

// File returns the name of the file that d is about, as it is in the text. The name is empty if the message
// contains no file. A member of an archive has a name like "lib.a:member.o".
func (d Diagnostic) File() string {
	at, ok := fileValue[d.ID]
	if !ok || at >= len(d.Args) {
		return ""
	}
	name, _ := d.Args[at].(string)
	if name == "<input>" { // an input without a file (DIAG-114)
		return ""
	}
	return name
}
