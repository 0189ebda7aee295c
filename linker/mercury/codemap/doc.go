// Package codemap maps places in a function's machine code after the finalizer has dropped and inserted
// instructions. It updates everything that refers to such places: the code's branches and its capsule,
// attributes, jump tables, call frames, line tables and the registers of debug information.
package codemap
