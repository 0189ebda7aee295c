package explore

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/coverage"
)

// A program built with -cover -covermode=atomic can report the code that it has executed. The report has a description
// of the program's blocks, and counters of their executions since the last reset. Both use the format of Go's coverage
// files (internal/coverage/defs.go in Go's source). This file reads the parts of the format that the search needs.

// A block is a run of statements without a branch.
type block struct{ line, statements uint32 }

// A function is a function of the program. It knows the index of its first block among all blocks.
type function struct {
	name, file string
	blocks     []block
	first      int
}

// A universe describes all code that the program could execute.
type universe struct {
	packages  []coveredPackage
	functions int
	blocks    int
}

// A coveredPackage is a package whose blocks are counted.
type coveredPackage struct {
	path      string
	functions []function
}

// errNoCounters is the error of a program that was built without coverage counters. It explains how to build one with
// them.
var errNoCounters = errors.New("this program does not count what it executes: build it with go build -cover -covermode=atomic -coverpkg=./linker/...,./cmd/culink/...,./cmd/cuconform ./cmd/cuconform")

// readUniverse reads the description of this program's blocks.
func readUniverse() (*universe, error) {
	var b bytes.Buffer
	if err := coverage.WriteMeta(&b); err != nil {
		return nil, errNoCounters
	}
	const header = 56 // size of the header; the number of packages is at offset 16
	data := b.Bytes()
	n := int(binary.LittleEndian.Uint64(data[16:]))
	u := &universe{}
	for i := range n {
		at := binary.LittleEndian.Uint64(data[header+8*i:])
		length := binary.LittleEndian.Uint64(data[header+8*(n+i):])
		u.addPackage(data[at : at+length])
	}
	return u, nil
}

// addPackage reads the description of a package: a header, the offsets of functions, strings, and the functions.
func (u *universe) addPackage(data []byte) {
	const header, pathAt, functionsAt = 44, 8, 40
	word := func(at int) int { return int(binary.LittleEndian.Uint32(data[at:])) }
	count := word(functionsAt)
	r := numbers{data[header+4*count:]}
	text := make([]string, r.next())
	for i := range text {
		n := r.next()
		text[i] = string(r.rest[:n])
		r.rest = r.rest[n:]
	}
	p := coveredPackage{path: text[word(pathAt)]}
	for i := range count {
		r := numbers{data[word(header+4*i):]}
		f := function{blocks: make([]block, r.next()), first: u.blocks}
		f.name, f.file = text[r.next()], text[r.next()]
		for k := range f.blocks {
			f.blocks[k].line = uint32(r.next())
			r.next() // column
			r.next() // line of the end
			r.next() // column of the end
			f.blocks[k].statements = uint32(r.next())
		}
		u.blocks += len(f.blocks)
		p.functions = append(p.functions, f)
	}
	u.functions += count
	u.packages = append(u.packages, p)
}

// numbers reads numbers in ULEB128.
type numbers struct{ rest []byte }

func (n *numbers) next() int {
	value, length := binary.Uvarint(n.rest)
	n.rest = n.rest[length:]
	return int(value)
}

// executed calls see for each executed block, with its count.
func (u *universe) executed(counters []byte, see func(block int, count uint32)) error {
	const header, segment, footer = 32, 16, 16
	if len(counters) < header+segment+footer {
		return fmt.Errorf("%d bytes of counters", len(counters))
	}
	entries := int(binary.LittleEndian.Uint64(counters[header:]))
	strings := binary.LittleEndian.Uint32(counters[header+8:])
	arguments := binary.LittleEndian.Uint32(counters[header+12:])
	r := numbers{counters[header+segment+strings+arguments:]}
	for range entries {
		count, p, f := r.next(), r.next(), r.next()
		if p >= len(u.packages) || f >= len(u.packages[p].functions) || count != len(u.packages[p].functions[f].blocks) {
			return fmt.Errorf("counters of function %d of package %d, which has no %d blocks", f, p, count)
		}
		first := u.packages[p].functions[f].first
		for i := range count {
			if n := r.next(); n > 0 {
				see(first+i, uint32(n))
			}
		}
	}
	return nil
}
