package jitlibrary

import "github.com/ebitengine/purego"

// load loads a shared library, and returns its handle.
func load(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// symbol returns the address of a function of a library.
func symbol(library uintptr, name string) (uintptr, error) { return purego.Dlsym(library, name) }
