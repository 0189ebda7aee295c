package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/sass"
)

// A disassembler runs the toolkit's disassembler on instructions of one SM.
type disassembler struct {
	bin      string // folder of the toolkit's programs
	work     string // a folder for files
	sm       int
	suffix   string // of the name of the SM; with "a" it has more instructions
	template []byte // a cubin with one empty kernel
}

func (d *disassembler) run(ctx context.Context, name string, args ...string) (stdout, stderr string, err error) {
	cmd := exec.CommandContext(ctx, filepath.Join(d.bin, name), args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// open compiles the template.
func (d *disassembler) open(ctx context.Context) error {
	source, cubin := filepath.Join(d.work, "empty.cu"), filepath.Join(d.work, "empty.cubin")
	if err := os.WriteFile(source, []byte("__global__ void k() {}\n"), 0o644); err != nil {
		return err
	}
	if _, text, err := d.run(ctx, "nvcc", fmt.Sprintf("-arch=sm_%d%s", d.sm, d.suffix), "-cubin", "-o", cubin, source); err != nil {
		return fmt.Errorf("nvcc: %w\n%s", err, text)
	}
	var err error
	d.template, err = os.ReadFile(cubin)
	return err
}

func code(words []sass.Instruction) []byte {
	b := make([]byte, 0, len(words)*sass.Size)
	for _, x := range words {
		b = x.Append(b)
	}
	return b
}

var address = regexp.MustCompile(`(?m)^nvdisasm error .*at address 0x([0-9a-f]+)`)

// graphics reports whether an instruction reads or writes graphics attributes (AL2P to IPA). The disassembler
// stops at encodings that match two of these instructions, and does not print where.
func graphics(x sass.Instruction) bool {
	op := operationOf(x.Opcode())
	return 0x120 <= op && op <= 0x126
}

// legal returns those of words that are valid instructions, and their text.
func (d *disassembler) legal(ctx context.Context, words []sass.Instruction) (kept []sass.Instruction, texts []string, err error) {
	file := filepath.Join(d.work, "raw.bin")
	raw := []string{"-b", fmt.Sprintf("SM%d%s", d.sm, d.suffix), "-json", file}
	words = slices.DeleteFunc(slices.Clone(words), graphics)
	var out string
	for {
		if len(words) == 0 {
			return nil, nil, nil
		}
		if err := os.WriteFile(file, code(words), 0o644); err != nil {
			return nil, nil, err
		}
		var errors string
		if out, errors, err = d.run(ctx, "nvdisasm", raw...); err == nil {
			break
		}
		bad := map[int]bool{}
		for _, m := range address.FindAllStringSubmatch(errors, -1) {
			at, _ := strconv.ParseUint(m[1], 16, 64)
			bad[int(at/sass.Size)] = true
		}
		if len(bad) == 0 { // an error without an offset
			if len(words) == 1 {
				return nil, nil, nil
			}
			for _, half := range [][]sass.Instruction{words[:len(words)/2], words[len(words)/2:]} {
				k, t, err := d.legal(ctx, half)
				if err != nil {
					return nil, nil, err
				}
				kept, texts = append(kept, k...), append(texts, t...)
			}
			return kept, texts, nil
		}
		left := words[:0]
		for i, x := range words {
			if !bad[i] {
				left = append(left, x)
			}
		}
		words = left
	}
	var parts []json.RawMessage
	if err := json.Unmarshal([]byte(out), &parts); err != nil || len(parts) < 2 {
		return nil, nil, fmt.Errorf("nvdisasm: not the JSON that was expected: %v", err)
	}
	var functions []struct {
		Instructions []struct {
			Opcode   string `json:"opcode"`
			Operands string `json:"operands"`
		} `json:"sass-instructions"`
	}
	if err := json.Unmarshal(parts[1], &functions); err != nil {
		return nil, nil, fmt.Errorf("nvdisasm: %w", err)
	}
	if len(functions) != 1 || len(functions[0].Instructions) != len(words) {
		return nil, nil, fmt.Errorf("nvdisasm: not %d instructions", len(words))
	}
	for i, x := range functions[0].Instructions {
		if text := x.Opcode + " " + x.Operands; x.Opcode != "" && !strings.Contains(text, "INVALID") && !strings.Contains(text, "???") {
			kept, texts = append(kept, words[i]), append(texts, text)
		}
	}
	return kept, texts, nil
}

// uses returns the registers that each of words writes and reads. They come from the life ranges that the
// disassembler prints for a kernel of these instructions.
func (d *disassembler) uses(ctx context.Context, words []sass.Instruction) (writes, reads []sass.Registers, err error) {
	file := filepath.Join(d.work, "kernel.cubin")
	exit := sass.Instruction{Low: 0x794d, High: 0x000fea0003800000}
	if err := os.WriteFile(file, d.kernel(code(append(words[:len(words):len(words)], exit))), 0o644); err != nil {
		return nil, nil, err
	}
	out, errors, err := d.run(ctx, "nvdisasm", "-c", "-plr", "-lrm", "narrow", file)
	if err != nil {
		return nil, nil, fmt.Errorf("nvdisasm: %w\n%s", err, errors)
	}
	writes, reads = make([]sass.Registers, len(words)), make([]sass.Registers, len(words))
	seen := 0
	err = lifeRanges(out, func(_ string, offset uint64, w, r sass.Registers) {
		if i := int(offset / sass.Size); i < len(words) {
			writes[i], reads[i] = w, r
			seen++
		}
	})
	if err == nil && seen != len(words) {
		err = fmt.Errorf("nvdisasm: life ranges of %d of %d instructions", seen, len(words))
	}
	return writes, reads, err
}

// kernel returns the template with other code.
func (d *disassembler) kernel(code []byte) []byte {
	const (
		sectionHeader = 64
		symbolSize    = 24
		symbolTable   = 2
		function      = 2
	)
	b := bytes.Clone(d.template)
	le := binary.LittleEndian
	headers, count, names := le.Uint64(b[40:]), int(le.Uint16(b[60:])), uint64(le.Uint16(b[62:]))
	header := func(i uint64) []byte { return b[headers+i*sectionHeader:] }
	nameAt := le.Uint64(header(names)[24:])
	for len(b)%128 != 0 {
		b = append(b, 0)
	}
	at := uint64(len(b))
	b = append(b, code...)
	text := uint64(0)
	for i := range uint64(count) {
		if bytes.HasPrefix(b[nameAt+uint64(le.Uint32(header(i))):], []byte(".text.")) {
			text = i
			le.PutUint64(header(i)[24:], at)
			le.PutUint64(header(i)[32:], uint64(len(code)))
		}
	}
	for i := range uint64(count) {
		if le.Uint32(header(i)[4:]) != symbolTable {
			continue
		}
		from, size := le.Uint64(header(i)[24:]), le.Uint64(header(i)[32:])
		for s := from; s < from+size; s += symbolSize {
			if uint64(le.Uint16(b[s+6:])) == text && b[s+4]&0xf == function {
				le.PutUint64(b[s+16:], uint64(len(code)))
			}
		}
	}
	return b
}
