// Command culink-lto compiles intermediate code with NVIDIA's libnvJitLink. It implements the protocol of a compiler
// for link-time optimisation in docs/lto.md:
//
//	culink-lto LIBRARY OPTION... -o OUTPUT -input NAME FILE...
//
// It is a separate program because it loads the library. So culink needs no C library, and a crash of the library ends
// only this process. culink starts this program, which must be installed beside it.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/culink/culink/cmd/internal/jitlibrary"
	"github.com/culink/culink/linker/fatbin"
	"github.com/culink/culink/linker/helper"
	"github.com/culink/culink/linker/lto"
)

const usage = `usage: culink-lto LIBRARY OPTION... -o OUTPUT -input NAME FILE...
Compiles intermediate code to PTX with NVIDIA's libnvJitLink, for culink -lto, which starts it: docs/lto.md.
`

func main() {
	if len(os.Args) == 2 && (os.Args[1] == "--help" || os.Args[1] == "-h") {
		fmt.Print(usage)
		return
	}
	if len(os.Args) > 1 && os.Args[1] == helper.KeepWord { // culink's libnvJitLink uses this: docs/nvjitlink.md
		os.Exit(helper.Keep(os.Args[2:]))
	}
	runtime.LockOSThread() // the library crashes if a compilation continues on another thread
	limit()
	os.Exit(run(os.Args[1:], os.Stderr))
}

// A request is a command line of the protocol.
type request struct {
	library string
	options []string
	output  string
	linked  string // file for the linked intermediate code; empty if it is not requested
	log     string // file for messages about a program that was compiled; empty if it is not requested
	inputs  []named
}

// A named is an input file with the name that messages use for it.
type named struct{ name, file string }

// parse parses a command line.
func parse(args []string) (*request, error) {
	if len(args) == 0 {
		return nil, errors.New("no library: call culink-lto LIBRARY OPTION... -o OUTPUT -input NAME FILE")
	}
	r := &request{library: args[0]}
	for args = args[1:]; len(args) > 0; args = args[1:] {
		switch {
		case args[0] == "-o" && len(args) > 1:
			r.output, args = args[1], args[1:]
		case args[0] == "-linked" && len(args) > 1:
			r.linked, args = args[1], args[1:]
		case args[0] == "-log" && len(args) > 1:
			r.log, args = args[1], args[1:]
		case args[0] == "-input" && len(args) > 2:
			r.inputs, args = append(r.inputs, named{args[1], args[2]}), args[2:]
		case args[0] == "-o", args[0] == "-linked", args[0] == "-log", args[0] == "-input", !strings.HasPrefix(args[0], "-"):
			return nil, fmt.Errorf("unexpected or incomplete: %s", args[0])
		default:
			r.options = append(r.options, args[0])
		}
	}
	if r.output == "" || r.inputs == nil {
		return nil, errors.New("no -o, or no -input")
	}
	return r, nil
}

// target returns the number of the requested architecture, or 0 if the option is invalid.
func (r *request) target() int {
	for _, o := range r.options {
		if number, ok := strings.CutPrefix(o, "-arch=sm_"); ok {
			n, _ := strconv.Atoi(number)
			return n
		}
	}
	return 0
}

// optimiser is the prefix of the library's option for options of the optimiser.
const optimiser = "-Xnvvm="

// spellings maps options of the protocol to the library's options, if these are written differently.
var spellings = map[string][]string{
	"-partial": {optimiser + "--force-device-c"},
	"-externs": {optimiser + "--force-device-c", optimiser + "-opt=0"},
}

// libraryOptions returns the library's options for those of the protocol. The library reads the compile options of
// objects from their fat binaries.
func libraryOptions(options []string) []string {
	out := []string{"-lto", "-ptx"}
	references := false
	for _, o := range options {
		name, value, _ := strings.Cut(o, "=")
		switch {
		case spellings[o] != nil:
			out = append(out, spellings[o]...)
		case strings.HasPrefix(o, "-host-ref-"):
			references = true
			out = append(out, optimiser+o)
		case name == "-kernels-used", name == "-variables-used":
			for word := range strings.SplitSeq(value, ",") {
				out = append(out, name+"="+word)
			}
		case name == "-ftz", name == "-prec-div", name == "-prec-sqrt", name == "-fma":
		default:
			out = append(out, o)
		}
	}
	if references { // lists that were not given are empty
		out = append(out, optimiser+"-has-global-host-info")
	}
	return out
}

// run handles one request and returns the exit status.
func run(args []string, stderr io.Writer) int {
	fail := func(status int, err error) int {
		fmt.Fprintln(stderr, err)
		return status
	}
	r, err := parse(args)
	if err != nil {
		return fail(lto.ExitFailed, err)
	}
	var inputs []jitlibrary.Input
	for _, in := range r.inputs {
		data, err := os.ReadFile(in.file)
		if err != nil {
			return fail(lto.ExitFailed, err)
		}
		kind := jitlibrary.LTOIR
		if fatbin.IsFatbin(data) {
			kind = jitlibrary.Fatbin
		} else {
			data = lto.AtMost(data, r.target())
		}
		inputs = append(inputs, jitlibrary.Input{Name: in.name, Kind: kind, Data: data})
	}
	library, err := jitlibrary.Open(r.library)
	if err != nil {
		return fail(lto.ExitFailed, err)
	}
	ptx, code, log, err := library.Compile(libraryOptions(r.options), inputs)
	if r.linked != "" && code != nil {
		if err := os.WriteFile(r.linked, code, 0o666); err != nil {
			return fail(lto.ExitFailed, err)
		}
	}
	if err != nil {
		return fail(judge(log, err))
	}
	if err := os.WriteFile(r.output, bytes.TrimRight(ptx, "\x00"), 0o666); err != nil {
		return fail(lto.ExitFailed, err)
	}
	if said := bytes.TrimRight(log, "\x00"); r.log != "" && len(said) > 0 {
		if err := os.WriteFile(r.log, said, 0o666); err != nil {
			return fail(lto.ExitFailed, err)
		}
	}
	return lto.ExitCompiled
}

// refusal begins the message of CUDA 13.0's library about a program that does not compile. The name of the optimiser's
// status follows. The next lines have the optimiser's message.
const refusal = "ERROR in nvvmCompileProgram: "

// laterRefusal matches the same message from 13.1 on: first the optimiser's message, and then its status. Before it, a
// zero byte ends the info log.
var laterRefusal = regexp.MustCompile(`([^\x00]*)ERROR (NVVM_ERROR_[A-Z_]+) \([0-9]+\) in nvvmCompileProgram(?: callback)?\n`)

// undecodable begins the library's message about a fat binary that cannot be decoded.
const undecodable = "ERROR 5: bad input:"

// judge returns the exit status and the error for the library's log. nvlink's message about a program that does not
// compile has the optimiser's message and then its status.
func judge(log []byte, err error) (int, error) {
	said := strings.TrimRight(string(log), "\x00")
	if _, account, ok := strings.Cut(said, refusal); ok {
		status, words, _ := strings.Cut(account, "\n")
		return lto.ExitRefused, errors.New(words + status)
	}
	if account := laterRefusal.FindStringSubmatch(said); account != nil {
		return lto.ExitRefused, errors.New(account[1] + account[2])
	}
	exit := lto.ExitFailed
	if status := (*jitlibrary.StatusError)(nil); errors.As(err, &status) {
		switch {
		case status.Status == jitlibrary.BadInput, status.Status == jitlibrary.UnknownVersion:
			exit = lto.ExitNoCode
		case status.Status == jitlibrary.InvalidInput && strings.HasPrefix(said, undecodable):
			exit = lto.ExitDamaged
		}
	}
	return exit, fmt.Errorf("%w: %s", err, strings.TrimSpace(said))
}
