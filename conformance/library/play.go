package library

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"strconv"

	"github.com/culink/culink/linker/jitlink"
)

// An API is a libnvJitLink with its C interface. A handle is a number, and a nil argument is a null pointer. Results are
// the codes of the public header.
type API interface {
	Version(null bool) (result int32, major, minor uint32)
	Create(handle *uint64, count int, options []*string) int32
	Destroy(handle *uint64) int32
	AddData(handle uint64, kind int32, data []byte, size int, name *string) int32
	AddFile(handle uint64, kind int32, name *string) int32
	Complete(handle uint64) int32
	// Size and Content read an output of a link. what is "LinkedCubin", "LinkedPtx", "LinkedLTOIR", "ErrorLog" or "InfoLog".
	Size(handle uint64, what string, size *uint64) int32
	Content(handle uint64, what string, to []byte) int32
}

// A printer is an API that can return the text that the library has printed since the last call of Printed.
type printer interface{ Printed() string }

// A session plays the calls of one case on an API.
type session struct {
	api           API
	handle        uint64
	errors, infos []byte // the logs so far
}

// An operation is a call of a script.
type operation struct {
	file int // index of the word that names an input; 0 if there is none
	play func(s *session, words []string) (Answer, error)
}

// operations lists the calls of scripts. Each name is followed by these words:
//
//	create OPTION...            create-null-handle, create-null-options COUNT, create-null-option
//	add TYPE FILE [NAME]        the name is the last part of FILE's if there is none
//	add-part TYPE FILE SIZE     add-nameless TYPE FILE      add-null TYPE SIZE
//	addfile TYPE FILE           addfile-null TYPE           complete
//	cubin                       ptx                         ltoir
//	null WHAT
//	destroy                     destroy-copy                destroy-null
//	handle NUMBER               version                     version-null
var operations = map[string]operation{
	"version": {0, func(s *session, _ []string) (Answer, error) {
		r, major, minor := s.api.Version(false)
		return Answer{FacetResult: number(r), FacetValue: fmt.Sprintf("%d.%d", major, minor)}, nil
	}},
	"version-null": {0, func(s *session, _ []string) (Answer, error) {
		r, _, _ := s.api.Version(true)
		return result(r)
	}},
	"create": {0, func(s *session, words []string) (Answer, error) {
		options := make([]*string, len(words))
		for i := range words {
			options[i] = &words[i]
		}
		s.errors, s.infos = nil, nil
		r := s.api.Create(&s.handle, len(words), options)
		if s.handle == 0 {
			return Answer{FacetResult: number(r), FacetValue: "no handle"}, nil
		}
		return result(r)
	}},
	"create-null-handle": {0, func(s *session, _ []string) (Answer, error) {
		option := "-arch=sm_90"
		return result(s.api.Create(nil, 1, []*string{&option}))
	}},
	"create-null-options": {0, func(s *session, words []string) (Answer, error) {
		count, err := strconv.Atoi(words[0])
		if err != nil {
			return nil, err
		}
		return result(s.api.Create(&s.handle, count, nil))
	}},
	"create-null-option": {0, func(s *session, _ []string) (Answer, error) {
		option := "-arch=sm_90"
		return result(s.api.Create(&s.handle, 2, []*string{&option, nil}))
	}},
	"handle": {0, func(s *session, words []string) (a Answer, err error) {
		s.handle, err = strconv.ParseUint(words[0], 0, 64)
		return Answer{FacetResult: "0"}, err
	}},
	"add": {2, func(s *session, words []string) (Answer, error) {
		name := path.Base(words[1])
		if len(words) > 2 {
			name = words[2]
		}
		return s.add(words[0], words[1], -1, &name)
	}},
	"add-part": {2, func(s *session, words []string) (Answer, error) {
		size, err := strconv.Atoi(words[2])
		if err != nil {
			return nil, err
		}
		name := path.Base(words[1])
		return s.add(words[0], words[1], size, &name)
	}},
	"add-nameless": {2, func(s *session, words []string) (Answer, error) { return s.add(words[0], words[1], -1, nil) }},
	"add-null": {0, func(s *session, words []string) (Answer, error) {
		kind, err := inputType(words[0])
		if err != nil {
			return nil, err
		}
		size, err := strconv.Atoi(words[1])
		if err != nil {
			return nil, err
		}
		name := "null"
		return result(s.api.AddData(s.handle, kind, nil, size, &name))
	}},
	"addfile": {2, func(s *session, words []string) (Answer, error) {
		kind, err := inputType(words[0])
		if err != nil {
			return nil, err
		}
		return result(s.api.AddFile(s.handle, kind, &words[1]))
	}},
	"addfile-null": {0, func(s *session, words []string) (Answer, error) {
		kind, err := inputType(words[0])
		if err != nil {
			return nil, err
		}
		return result(s.api.AddFile(s.handle, kind, nil))
	}},
	"complete": {0, func(s *session, _ []string) (Answer, error) { return result(s.api.Complete(s.handle)) }},
	"cubin": {0, func(s *session, _ []string) (Answer, error) {
		r, image := s.read("LinkedCubin")
		a := Answer{FacetResult: r}
		if image != nil {
			a[FacetImage], a[FacetNote], a[FacetBytes] = imageSum(image), noteText(image), sum(image)
		}
		return a, nil
	}},
	"ptx": {0, func(s *session, _ []string) (Answer, error) {
		r, text := s.read("LinkedPtx")
		a := Answer{FacetResult: r}
		if text != nil {
			a[FacetPTX] = sum(text)
		}
		return a, nil
	}},
	"ltoir": {0, func(s *session, _ []string) (Answer, error) {
		r, code := s.read("LinkedLTOIR")
		a := Answer{FacetResult: r}
		if code != nil {
			a[FacetValue] = sum(code)
		}
		return a, nil
	}},
	"null": {0, func(s *session, words []string) (Answer, error) {
		size, content := s.api.Size(s.handle, words[0], nil), s.api.Content(s.handle, words[0], nil)
		return Answer{FacetResult: both(size, content)}, nil
	}},
	"destroy": {0, func(s *session, _ []string) (Answer, error) {
		r := s.api.Destroy(&s.handle)
		if r == 0 && s.handle != 0 {
			return Answer{FacetResult: number(r), FacetValue: "the handle stays"}, nil
		}
		return result(r)
	}},
	"destroy-copy": {0, func(s *session, _ []string) (Answer, error) {
		handle := s.handle
		return result(s.api.Destroy(&handle))
	}},
	"destroy-null": {0, func(s *session, _ []string) (Answer, error) { return result(s.api.Destroy(nil)) }},
}

// wordCounts holds the least number of words after the name of a call.
var wordCounts = map[string]int{
	"create-null-options": 1, "handle": 1, "add": 2, "add-part": 3, "add-nameless": 2, "add-null": 2, "addfile": 2, "addfile-null": 1, "null": 1,
}

// silentCalls lists the calls after which the logs are not read, because the handle may be invalid.
var silentCalls = map[string]bool{
	"handle": true, "destroy": true, "destroy-copy": true, "destroy-null": true, "version": true, "version-null": true,
	"create-null-handle": true, "create-null-options": true, "create-null-option": true, "null": true,
}

func number(r int32) string { return strconv.Itoa(int(r)) }

func result(r int32) (Answer, error) { return Answer{FacetResult: number(r)}, nil }

// both returns the results of reading a size and then the content. If they agree, it returns one number.
func both(size, content int32) string {
	if size == content {
		return number(size)
	}
	return number(size) + "/" + number(content)
}

// inputType parses the name or the number of an input type.
func inputType(word string) (int32, error) {
	for _, t := range []struct {
		name string
		kind jitlink.InputType
	}{
		{"none", jitlink.InputNone}, {"cubin", jitlink.InputCubin}, {"ptx", jitlink.InputPTX}, {"ltoir", jitlink.InputLTOIR},
		{"fatbin", jitlink.InputFatbin}, {"object", jitlink.InputObject}, {"library", jitlink.InputLibrary},
		{"index", jitlink.InputIndex}, {"any", jitlink.InputAny},
	} {
		if t.name == word {
			return int32(t.kind), nil
		}
	}
	n, err := strconv.ParseInt(word, 10, 32)
	return int32(n), err
}

// add adds the first size bytes of a file, or the whole file if size is -1. As in nvlink, an empty file is not added.
func (s *session) add(kindName, file string, size int, name *string) (Answer, error) {
	kind, err := inputType(kindName)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if size < 0 {
		size = len(data)
	}
	r := s.api.AddData(s.handle, kind, data, size, name)
	return result(r)
}

// guardByte fills buffers and the memory after them.
const guardByte = 0xa5

// read reads the size and the content of an output. data is nil if the call fails.
func (s *session) read(what string) (r string, data []byte) {
	var size uint64
	first := s.api.Size(s.handle, what, &size)
	if first != 0 || size > 1<<30 {
		size = 0
	}
	buffer := bytes.Repeat([]byte{guardByte}, int(size)+8)
	second := s.api.Content(s.handle, what, buffer)
	if first != 0 || second != 0 {
		return both(first, second), nil
	}
	return both(first, second), buffer[:size]
}

// Play plays a script. For each call it first calls the function before with the number of the call, and then the
// function after with the answer too. It stops at the first error in the script.
func Play(api API, calls [][]string, before func(i int), after func(i int, a Answer)) error {
	s := &session{api: api}
	for i, words := range calls {
		before(i)
		op, ok := operations[words[0]]
		if !ok || len(words)-1 < wordCounts[words[0]] {
			return fmt.Errorf("no such call: %q", words)
		}
		a, err := op.play(s, words[1:])
		if err != nil {
			return fmt.Errorf("%q: %w", words, err)
		}
		if p, ok := api.(printer); ok {
			if text := p.Printed(); text != "" {
				a[FacetPrinted] = text
			}
		}
		if s.handle != 0 && !silentCalls[words[0]] && !isGarbage(calls[:i]) {
			s.logs(a)
		}
		after(i, a)
	}
	return nil
}

// isGarbage reports whether the handle is invalid after the calls so far.
func isGarbage(calls [][]string) bool {
	garbage := false
	for _, words := range calls {
		switch words[0] {
		case "handle", "destroy-copy":
			garbage = true
		case "create":
			garbage = false
		}
	}
	return garbage
}

// noZeroByte follows a log whose last byte is not zero.
const noZeroByte = "(no zero byte)"

// logs adds to an answer what the last call added to the logs. The zero byte at the end of a log counts as part of it.
func (s *session) logs(a Answer) {
	for _, log := range []struct {
		what  string
		facet Facet
		seen  *[]byte
	}{{"ErrorLog", FacetErrors, &s.errors}, {"InfoLog", FacetInfos, &s.infos}} {
		_, text := s.read(log.what)
		end := ""
		if len(text) > 0 {
			if text[len(text)-1] != 0 {
				end = noZeroByte
			}
			text = text[:len(text)-1]
		}
		more, ok := bytes.CutPrefix(text, *log.seen)
		if !ok {
			more = append([]byte("(not what was there before) "), text...)
		}
		*log.seen = bytes.Clone(text)
		if len(more) > 0 {
			a[log.facet] = withoutTimes(string(more)) + end
		}
	}
}
