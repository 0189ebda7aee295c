// Package adversary looks for a run of machine code in which a schedule goes wrong.
//
// It plays the part of the multiprocessor and executes a function with one thread, on one path at a
// time. At each branch it takes either way. A predicate whose value is not known is true on one path
// and false on another. Each load, store and conversion completes as late as its scoreboards allow,
// and so does the reading of its operands. A path is an attack if an instruction reads registers that
// are not written yet, or overwrites registers that are still to be written or read. States are never
// merged: a path ends where its state was seen before. [Attack] therefore finds an attack, or shows
// that no path has one, or gives up because there are too many states.
//
// The package exists to check package hazard. That package merges the outstanding events of different
// paths, and so visits each instruction only a few times. The two packages share the known properties
// of the machine ([hazard.Machine]) and of the operands (package sass), but not the way in which they
// follow code.
package adversary
