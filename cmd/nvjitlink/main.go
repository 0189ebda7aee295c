// Command nvjitlink links with NVIDIA's libnvJitLink. It accepts nvlink's arguments, so that cuconform can run it like
// any linker:
//
//	go build -o nvjitlink ./cmd/nvjitlink
//	cuconform run -linker "nvjitlink /path/to/libnvJitLink.so.13" -facet exit,file,image
//
// The library makes the same image as nvlink of the same release, apart from the tool note. It supports few of nvlink's
// options. The command rejects the others with exit status 3. It is a separate program because it loads the library. So
// cuconform stays one static binary, and a crash of the library ends only one link. No GPU is needed.
//
// Loading the library takes longer than a link. With -serve before the library's path, the command reads links from its
// standard input, one on each line, for "cuconform hunt -serve" (conformance/sandbox.Server).
package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/culink/culink/cmd/internal/jitlibrary"
	"github.com/culink/culink/conformance/sandbox"
	"github.com/culink/culink/linker/option"
)

// Exit statuses.
const (
	exitOK      = 0
	exitFails   = 1 // the link failed, and nvlink's would too
	exitMisuse  = 2
	exitRefused = 3 // the library does not have the option
)

const usage = `usage: nvjitlink LIBRARY [nvlink's arguments]
       nvjitlink -serve LIBRARY
       nvjitlink -calls [-threads N] LIBRARY
Links with NVIDIA's libnvJitLink by nvlink's arguments, as a linker for cuconform: docs/nvjitlink.md.
`

func main() {
	switch args := os.Args[1:]; {
	case len(args) == 1 && (args[0] == "--help" || args[0] == "-h"):
		fmt.Print(usage)
		return
	case len(args) == 2 && args[0] == "-serve":
		os.Exit(serve(args[1], os.Stdin, os.Stdout, os.Stderr))
	case len(args) > 1 && args[0] == "-calls":
		os.Exit(serveCalls(args[1:], os.Stdin, os.Stdout, os.Stderr))
	case len(args) > 0 && args[0] != "-serve" && args[0] != "-calls":
		load := func() (*jitlibrary.Library, error) { return jitlibrary.Open(args[0]) }
		os.Exit(run(load, "", args[1:], os.Stderr))
	}
	fmt.Fprint(os.Stderr, usage)
	os.Exit(exitMisuse)
}

// serveCalls plays scripts of calls. args has the form [-threads N] LIBRARY.
func serveCalls(args []string, in io.Reader, out, stderr io.Writer) int {
	threads := 0
	if len(args) == 3 && args[0] == "-threads" {
		threads, _ = strconv.Atoi(args[1])
	}
	if err := playCalls(args[len(args)-1], threads, in, out); err != nil {
		fmt.Fprintln(stderr, "nvjitlink:", err)
		return exitMisuse
	}
	return exitOK
}

// serve links until the end of its input.
func serve(path string, in io.Reader, out, stderr io.Writer) int {
	runtime.LockOSThread() // the library crashes if a link continues on another thread
	lib, err := jitlibrary.Open(path)
	if err != nil {
		fmt.Fprintln(stderr, "nvjitlink:", err)
		return exitMisuse
	}
	load := func() (*jitlibrary.Library, error) { return lib, nil }
	err = sandbox.Answer(in, out, func(link sandbox.ServedLink) (sandbox.ServedOutcome, error) {
		var said strings.Builder
		exit := run(load, link.Dir, link.Args, &said)
		return sandbox.ServedOutcome{Exit: exit, Stderr: said.String()}, nil
	})
	if err != nil {
		fmt.Fprintln(stderr, "nvjitlink:", err)
		return exitMisuse
	}
	return exitOK
}

// passedOn lists the long names of nvlink's options that the library supports or that this command implements.
var passedOn = map[string]bool{
	"arch": true, "output-file": true, "machine": true, "relocatable-link": true, "debug": true, "verbose": true,
	"kernels-used": true, "variables-used": true, "options-file": true,
	"toolkit": true, // the release of the library, on which the valid targets depend
}

// run runs one link in a folder. load returns the library.
func run(load func() (*jitlibrary.Library, error), dir string, args []string, stderr io.Writer) int {
	read := func(name string) ([]byte, error) { return os.ReadFile(inside(dir, name)) }
	settings, said := option.Parse(args, func(name string) ([]byte, error) { return option.ReadFile(inside(dir, name)) })
	for _, d := range said {
		fmt.Fprintln(stderr, "nvlink", d)
		return exitFails
	}
	for _, o := range option.Table {
		if settings.Given(o.Long) && !passedOn[o.Long] {
			fmt.Fprintf(stderr, "nvjitlink: the library has no option --%s\n", o.Long)
			return exitRefused
		}
	}
	lib, err := load()
	if err != nil {
		fmt.Fprintln(stderr, "nvjitlink:", err)
		return exitMisuse
	}
	var inputs []jitlibrary.Input
	for _, name := range settings.Inputs {
		data, err := read(name)
		if err != nil {
			fmt.Fprintln(stderr, "nvlink fatal   :", err)
			return exitFails
		}
		inputs = append(inputs, jitlibrary.Input{Name: name, Kind: kindOf(name), Data: data})
	}
	image, log, err := lib.Link(libraryOptions(settings), inputs)
	writeLog(stderr, log)
	if err != nil {
		fmt.Fprintln(stderr, "nvlink fatal   :", err)
		return exitFails
	}
	if err := os.WriteFile(inside(dir, settings.Output), image, 0o666); err != nil {
		fmt.Fprintf(stderr, "nvlink fatal   : Could not open output file '%s'\n", settings.Output)
		return exitFails
	}
	return exitOK
}

// inside returns the path of a file in a folder.
func inside(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// libraryOptions returns the library's options for the settings.
func libraryOptions(s *option.Settings) []string {
	out := []string{"-arch=" + s.Arch}
	for _, o := range []struct {
		given bool
		text  string
	}{
		{s.Relocatable, "-r"},
		{s.Debug, "-g"},
		{s.Verbose, "-verbose"},
	} {
		if o.given {
			out = append(out, o.text)
		}
	}
	for _, name := range s.KernelsUsed {
		out = append(out, "-kernels-used="+name)
	}
	for _, name := range s.VariablesUsed {
		out = append(out, "-variables-used="+name)
	}
	return out
}

// writeLog writes the library's messages. It adds the prefix that nvlink's messages have.
func writeLog(w io.Writer, log []byte) {
	for line := range bytes.Lines(log) {
		if line = bytes.TrimRight(line, "\n\x00"); len(line) > 0 {
			fmt.Fprintf(w, "nvlink %s\n", line)
		}
	}
}

// inputKinds maps the file suffixes that nvlink recognises to types of files.
var inputKinds = map[string]jitlibrary.Kind{
	".cubin": jitlibrary.Cubin, ".ptx": jitlibrary.PTX, ".fatbin": jitlibrary.Fatbin, ".o": jitlibrary.Object, ".a": jitlibrary.Archive,
}

func kindOf(name string) jitlibrary.Kind {
	if kind, ok := inputKinds[filepath.Ext(name)]; ok {
		return kind
	}
	return jitlibrary.Any
}
