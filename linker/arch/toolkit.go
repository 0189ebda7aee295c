package arch

// A Toolkit is a CUDA toolkit version that culink stands in for: the strings
// and numbers of it that reach linked files and messages.
type Toolkit struct {
	Major, Minor int
	Release      string // second string of the tool note
	Build        string // third string of the tool note
	// API is the version number in cubins, major*10+minor: last word of
	// .note.nv.cuinfo, and the number of "newer than toolkit".
	API uint32
	// MinAPI is the first version whose cubins of today's ABI are taken.
	MinAPI uint32
}

// Toolkit13_0 is CUDA 13.0, nvlink 13.0.88.
var Toolkit13_0 = Toolkit{
	Major: 13, Minor: 0,
	Release: "Cuda compilation tools, release 13.0, V13.0.88",
	Build:   "Build cuda_13.0.r13.0/compiler.36424714_0",
	API:     130,
	MinAPI:  120,
}
