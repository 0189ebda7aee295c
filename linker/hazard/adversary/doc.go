// Package adversary looks for a run of machine code in which a schedule goes wrong.
//
// It plays the multiprocessor against a function, one thread on one path at a time: at each branch it
// takes either way, each predicate is true on one path and false on another, each load, store and
// conversion comes as late as its scoreboards allow, and so do its operands. A path on which an
// instruction reads registers that are not written yet, or writes over some that are still to be
// written or read, is an attack. States are never joined: a path ends where its state was seen
// before. So [Attack] finds either an attack, or that there is none on any path, or that there are
// too many states to say.
//
// It is there to check package hazard, which joins what paths have in flight and so looks at each
// instruction a few times only. The two share what is known of the machine ([hazard.Machine]) and of
// the operands (package sass), but not how code is followed.
package adversary
