package main

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/sass"
)

var (
	offsetText = regexp.MustCompile(`^\s*/\*([0-9a-f]{4,})\*/`)
	fileTitles = map[string]sass.File{"GPR": sass.General, "UGPR": sass.Uniform, "PRED": sass.Predicate, "UPRED": sass.UniformPredicate}
)

// lifeRanges parses the table that the disassembler prints next to code, in its narrow form. The table has a
// column for each register, with ^ where it is written, v where it is read, and x for both. lifeRanges calls
// found for each instruction.
func lifeRanges(text string, found func(section string, offset uint64, writes, reads sass.Registers)) error {
	type column struct {
		at     int
		file   sass.File
		number uint
	}
	var columns []column
	var head []string
	section := ""
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "//-----") {
			columns, head, section = nil, nil, strings.Fields(line)[1]
		}
		at := strings.LastIndex(line, "// |")
		if at < 0 {
			continue
		}
		body, table := line[:at], line[at+3:]
		place := offsetText.FindStringSubmatch(body)
		if place == nil {
			if columns == nil && strings.TrimSpace(body) == "" {
				head = append(head, table)
			}
			continue
		}
		if columns == nil {
			if len(head) == 0 {
				return fmt.Errorf("%s: life ranges without a head", section)
			}
			start := 1
			for _, title := range strings.Split(strings.Trim(strings.TrimSpace(head[0]), "|"), "|") {
				past := false // after the number of live registers
				for i := start; i < start+len(title); i++ {
					digits := ""
					for _, h := range head[1:] {
						if i < len(h) {
							digits += strings.TrimSpace(h[i : i+1])
						}
					}
					if n, err := strconv.ParseUint(digits, 10, 8); err == nil && past {
						columns = append(columns, column{i, fileTitles[strings.TrimSpace(title)], uint(n)})
					}
					past = past || digits == "#"
				}
				start += len(title) + 1
			}
		}
		var writes, reads sass.Registers
		for _, c := range columns {
			mark := table[c.at]
			if mark == '^' || mark == 'x' {
				writes.Add(c.file, c.number, 1)
			}
			if mark == 'v' || mark == 'x' {
				reads.Add(c.file, c.number, 1)
			}
		}
		offset, err := strconv.ParseUint(place[1], 16, 64)
		if err != nil {
			return err
		}
		found(section, offset, writes, reads)
	}
	return nil
}
