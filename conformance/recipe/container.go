package recipe

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/culink/culink/fuzz/craft"
)

// NVIDIA's tools do not write some containers, such as an archive with 64-bit offsets, a name that is too long, or an
// entry for a 32-bit host. The makers in this file write them.

// makeArchive makes an archive: make OUTPUT archive [thin] NAME=FILE... The header of the member contains NAME
// unchanged. An empty FILE makes a member without contents.
func makeArchive(_ context.Context, k *Toolchain, output string, args []string) error {
	write := craft.Archive
	if len(args) > 0 && args[0] == "thin" {
		write, args = craft.Thin, args[1:]
	}
	var members []craft.Member
	for _, arg := range args {
		name, file, ok := strings.Cut(arg, "=")
		if !ok {
			return fmt.Errorf("archive wants NAME=FILE, not %q", arg)
		}
		m := craft.Member{Name: name}
		if file != "" {
			data, err := k.read(file)
			if err != nil {
				return err
			}
			m.Data = data
		}
		members = append(members, m)
	}
	return k.write(output, write(members...))
}

// makeCOFF makes a Windows object file: make OUTPUT coff [big] [machine=N] [flags=N] SECTION=FILE... An empty FILE makes
// a section without contents.
func makeCOFF(_ context.Context, k *Toolchain, output string, args []string) error {
	object := craft.COFF{Machine: craft.AMD64}
	for _, arg := range args {
		key, value, ok := strings.Cut(arg, "=")
		switch {
		case arg == "big":
			object.Big = true
		case !ok:
			return fmt.Errorf("coff wants SECTION=FILE, not %q", arg)
		case key == "machine" || key == "flags":
			number, err := strconv.ParseUint(value, 0, 16)
			if err != nil {
				return err
			}
			if key == "machine" {
				object.Machine = uint16(number)
			} else {
				object.Flags = uint16(number)
			}
		case value == "":
			object.Sections = append(object.Sections, craft.Section{Name: key})
		default:
			data, err := k.read(value)
			if err != nil {
				return err
			}
			object.Sections = append(object.Sections, craft.Section{Name: key, Data: data})
		}
	}
	return k.write(output, object.Encode())
}

// entryKinds maps the kinds of entries of a fat binary to their numbers.
var entryKinds = map[string]uint16{"ptx": 1, "elf": 2}

// makeFatbin makes a fat binary: make OUTPUT fatbin ENTRY... An entry is
// KIND,arch=N[,flags=N][,compress=lz4|zstd|zstd-forms|zstd-headers|zstd-matches][,options=TEXT],file=FILE.
func makeFatbin(_ context.Context, k *Toolchain, output string, args []string) error {
	var entries []craft.Entry
	for _, arg := range args {
		e, err := k.entry(arg)
		if err != nil {
			return fmt.Errorf("entry %q: %w", arg, err)
		}
		entries = append(entries, e)
	}
	return k.write(output, craft.Fatbin(entries...))
}

func (k *Toolchain) entry(text string) (e craft.Entry, err error) {
	words := strings.Split(text, ",")
	kind, ok := entryKinds[words[0]]
	if !ok {
		return e, fmt.Errorf("unknown kind %q", words[0])
	}
	e.Kind = kind
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		var number uint64
		switch key {
		case "arch", "flags":
			if number, err = strconv.ParseUint(value, 0, 32); err != nil {
				return e, err
			}
			if key == "arch" {
				e.Arch = uint32(number)
			} else {
				e.Flags = number
			}
		case "compress":
			e.Compress = value
		case "options":
			e.Options = value
		case "file":
			if e.Payload, err = k.read(value); err != nil {
				return e, err
			}
		default:
			return e, fmt.Errorf("unknown key %q", key)
		}
	}
	return e, nil
}
