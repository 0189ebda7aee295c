// Package codemap tells where the places of a function's machine code are after the finalizer dropped instructions and inserted
// others, and changes what names such places: the code's branches and its capsule, attributes, jump tables, call frames, line
// tables and the registers of debug information.
package codemap
