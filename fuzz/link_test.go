package fuzz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/culink/culink/cmd/culink/advice"
	"github.com/culink/culink/cmd/culink/mappage"
	"github.com/culink/culink/corpus"
	"github.com/culink/culink/linker"
	"github.com/culink/culink/linker/arch"
	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/diag"
	"github.com/culink/culink/linker/nvinfo"
	"github.com/culink/culink/linker/trace"
)

// A link must satisfy more conditions than not to panic. It must not change its inputs, and must give the same result
// twice. If there is no output, it must report why. culink's own reader must accept the output. checkLink checks this
// for any input. The fuzz target and the tests of damaged files use it.

// modes lists options that change how a link uses its inputs.
var modes = []linker.Options{
	{},
	{Relocatable: true},
	{Debug: true},
	{PreserveRelocs: true, ForceRela: true},
	{Verbose: true, DumpCallgraph: true, Dot: true, AllowUndefinedGlobals: true},
	{KernelsUsed: []string{"k"}, ReserveNullPointer: true, ExtraWarnings: true},
}

// longest is the limit on the CPU time of this process for a link. The inputs have at most largest bytes. The limit
// holds on any machine, and with the race detector.
const (
	longest = 2 * time.Second
	largest = 64 << 10 // bytes
)

// checkLink links data with the options in mode. It returns an error if a condition is violated. accepted reports
// whether there was an output.
func checkLink(mode linker.Options, data ...[]byte) (accepted bool, err error) {
	mode.ToolName, mode.Arch = "culink", archOf(data[0])
	inputs := make([]linker.Input, len(data))
	before := make([][]byte, len(data))
	for i, b := range data {
		inputs[i] = linker.Input{Name: fmt.Sprintf("%d.cubin", i), Data: b}
		before[i] = bytes.Clone(b)
	}
	// If a link hung, the fuzz engine would stop without a message. If it panics, the engine stores the input.
	watchdog := time.AfterFunc(10*longest, func() { panic("the link hangs") })
	defer watchdog.Stop()
	start := cpuTime()
	first := linker.Link(context.Background(), mode, inputs)
	if took := cpuTime() - start; took > longest {
		return false, fmt.Errorf("the link took %v", took)
	}
	mode.Map, mode.Explain, mode.Trace = true, []string{"_", "k", "f", ""}, func(trace.Event) {}
	second := linker.Link(context.Background(), mode, inputs)
	if err := answer(second, inputs); err != nil {
		return false, err
	}
	if !bytes.Equal(first.Output, second.Output) || !bytes.Equal(first.Dot, second.Dot) || said(first) != said(second) {
		return false, errors.New("linking twice does not give the same")
	}
	for i := range data {
		if !bytes.Equal(before[i], data[i]) {
			return false, fmt.Errorf("input %d has changed", i)
		}
	}
	if first.Output == nil {
		return false, checkFailure(&first.Log, inputs)
	}
	return true, checkOutput(first.Output)
}

// answer writes the reports of a link: the map in one of its three forms, explanations, and the answers to messages. For
// a failed link, the reports have what is known (LAYOUT-500, REACH-500).
func answer(r *linker.Result, inputs []linker.Input) error {
	if r.Map == nil || len(r.Explanations) == 0 {
		return errors.New("the link has no map, or explains nothing")
	}
	var errs []error
	switch form := len(said(r)) % 16; { // chosen by the input, because writing a page takes as long as the link
	case form == 0:
		errs = append(errs, mappage.Write(io.Discard, r.Map))
	case form < 8:
		errs = append(errs, r.Map.WriteJSON(io.Discard))
	default:
		errs = append(errs, r.Map.WriteText(io.Discard, true))
	}
	for i := range r.Explanations {
		_ = r.Explanations[i].String()
		r.Explanations[i].Facts(strings.ToUpper)
	}
	adviser := advice.Adviser{Demangle: strings.ToUpper}
	for _, in := range inputs {
		adviser.Objects = append(adviser.Objects, advice.Object{Name: in.Name, Data: in.Data})
	}
	for _, d := range r.Log.Diagnostics {
		errs = append(errs, advice.Write(io.Discard, adviser.On(d)))
	}
	return errors.Join(errs...)
}

// checkFailure checks that a link without output reports why, and that each message about damage names the file and the
// position in it (DIAG-303).
func checkFailure(log *diag.Log, inputs []linker.Input) error {
	if log.Worst() < diag.Error {
		return fmt.Errorf("no output, and no error: %v", log.Diagnostics)
	}
	for _, d := range log.Diagnostics {
		if d.ID != diag.DamagedInput {
			continue
		}
		if !slices.ContainsFunc(inputs, func(in linker.Input) bool { return in.Name == d.File() }) {
			return fmt.Errorf("%q names no input", d.Text())
		}
		var place *cubin.FormatError
		switch {
		case errors.Is(d.Cause, cubin.ErrNotELF), errors.Is(d.Cause, cubin.ErrNotCUDA): // the file as a whole
		case !errors.As(d.Cause, &place) || place.Part == "":
			return fmt.Errorf("%q names no place", d.Text())
		}
	}
	return nil
}

// checkOutput reads everything in a linked file and writes it again. The bytes must be the same.
func checkOutput(output []byte) error {
	f, err := cubin.Open("output", output)
	if err != nil {
		return err
	}
	if again, err := rewrite(f); err != nil || !bytes.Equal(again, output) {
		return fmt.Errorf("the output is not written as it was read: %v", err)
	}
	symbols, err := f.Symbols()
	if err != nil {
		return err
	}
	for i, s := range f.Sections {
		data, err := f.Data(uint32(i))
		if err != nil {
			return err
		}
		switch s.Type {
		case cubin.SectionRel, cubin.SectionRela, cubin.SectionResolvedRela, cubin.SectionMercRela, cubin.SectionMercResolved:
			relocations, err := f.Relocations(uint32(i))
			if err != nil {
				return err
			}
			for _, r := range relocations {
				if int(r.Symbol) >= len(symbols) {
					return fmt.Errorf("%s: symbol %d of %d", s.Name, r.Symbol, len(symbols))
				}
			}
		case cubin.SectionInfo, cubin.SectionCompat, cubin.SectionMercInfo:
			if _, err := nvinfo.Decode(data); err != nil {
				return fmt.Errorf("%s: %v", s.Name, err)
			}
		case cubin.SectionNote:
			// The notes of the inputs come after the linker's note. They may be damaged.
			own := s.Name == ".note.nv.tkinfo" || s.Name == ".note.nv.cuinfo"
			if notes, err := f.Notes(uint32(i)); own && err != nil && len(notes) == 0 {
				return err
			}
		}
	}
	_, err = f.Segments()
	return err
}

// rewrite writes a new file from the parsed parts of f.
func rewrite(f *cubin.File) ([]byte, error) {
	image := cubin.Image{Header: f.Header, Size: uint64(len(f.Bytes()))}
	for i, s := range f.Sections {
		data, err := f.Data(uint32(i))
		if err != nil {
			return nil, err
		}
		image.Sections = append(image.Sections, cubin.ImageSection{Section: s, Data: data})
	}
	var err error
	if image.Segments, err = f.Segments(); err != nil {
		return nil, err
	}
	return image.Encode()
}

// said returns the messages of a link as text.
func said(r *linker.Result) string {
	var b strings.Builder
	for _, d := range r.Log.Diagnostics {
		b.WriteString(d.Error() + "\n")
	}
	return b.String()
}

// archOf returns the target for a link of data.
func archOf(data []byte) string {
	if f, err := cubin.Open("", data); err == nil && arch.Default.Lookup(f.SM()) != nil {
		return fmt.Sprintf("sm_%d", f.SM())
	}
	return "sm_80"
}

// seedLinks returns the inputs of recorded links of small cubins for sm_80 and sm_90, and those of mercurySeeds.
func seedLinks(tb testing.TB) map[string][][]byte {
	links := mercurySeeds(tb)
	err := fs.WalkDir(corpus.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".cubin") || path.Base(path.Dir(name)) != "in" {
			return err
		}
		data, err := corpus.Files.ReadFile(name)
		if err == nil && 0 < len(data) && len(data) <= largest/4 {
			key := path.Dir(path.Dir(name))
			if sm := path.Base(key); sm == "sm_80" || sm == "sm_90" {
				links[key] = append(links[key], data)
			}
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	for key, data := range links {
		if len(data) > 3 {
			links[key] = data[:3]
		}
	}
	if links["basic/two-files/sm_80"] == nil {
		tb.Fatal("no links in the corpus")
	}
	return links
}

// FuzzLink links any bytes. The link satisfies checkLink.
func FuzzLink(f *testing.F) {
	links := seedLinks(f)
	var names []string
	for name := range links {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		if i%4 != 0 { // fewer seeds, because the engine runs each seed once on each worker
			continue
		}
		data := append(slices.Clone(links[name]), nil, nil)
		f.Add(uint8(i), data[0], data[1], data[2])
	}
	f.Fuzz(func(t *testing.T, mode uint8, a, b, c []byte) {
		data := [][]byte{a}
		for _, more := range [][]byte{b, c} {
			if len(more) > 0 {
				data = append(data, more)
			}
		}
		if len(a)+len(b)+len(c) > 4*largest {
			return
		}
		if _, err := checkLink(modes[int(mode)%len(modes)], data...); err != nil {
			t.Fatal(err)
		}
	})
}

// FuzzELF reads any bytes as a cubin. Every accessor can be called without a panic.
func FuzzELF(f *testing.F) {
	for name, data := range seedLinks(f) {
		if strings.HasPrefix(name, "damaged/") || strings.HasPrefix(name, "basic/") {
			f.Add(data[0])
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := cubin.Open("x", data)
		if err != nil {
			return
		}
		readEverything(t, file)
	})
}

// readEverything calls every accessor of f and of its sections.
func readEverything(t testing.TB, f *cubin.File) {
	t.Helper()
	if _, err := f.Symbols(); err != nil && f.Section(".symtab") == nil && len(f.Sections) == 0 {
		t.Fatalf("no sections, but %v", err)
	}
	_, _ = f.Segments()
	for i := range f.Sections {
		n := uint32(i)
		data, err := f.Data(n)
		if err == nil && len(data) > len(f.Bytes()) {
			t.Fatalf("section %d has %d bytes of %d", i, len(data), len(f.Bytes()))
		}
		if symbols, err := f.SymbolsOf(n); err == nil {
			var again []byte
			for k, y := range symbols {
				again = cubin.AppendSymbol(again, y)
				// Reserved and extended section numbers must be written in the same form as in the file.
				if section := data[k*cubin.SymbolSize+6:]; section[1] == cubin.ShnLoReserve>>8 {
					copy(again[k*cubin.SymbolSize+6:], section[:2])
				}
			}
			if !bytes.HasPrefix(data, again) || len(data)-len(again) >= cubin.SymbolSize {
				t.Fatalf("section %d: symbols %x are written as %x", i, data, again)
			}
		}
		if relocations, err := f.Relocations(n); err == nil {
			appendTo := cubin.AppendRela
			if f.Sections[i].Type == cubin.SectionRel {
				appendTo = cubin.AppendRel
			}
			var again []byte
			for _, r := range relocations {
				again = appendTo(again, r)
			}
			left := uint64(len(data) - len(again)) // bytes of entries with a stated size above the usual one
			if !bytes.HasPrefix(data, again) || left >= cubin.RelaSize && f.Sections[i].EntSize <= cubin.RelSize {
				t.Fatalf("section %d: relocations %x are written as %x", i, data, again)
			}
		}
		if notes, err := f.Notes(n); err == nil && len(notes)*12 > len(data) {
			t.Fatalf("section %d: %d notes in %d bytes", i, len(notes), len(data))
		}
		_, _ = f.String(n, 0)
		_, _ = f.String(n, 1<<31)
	}
}
