package emit

import (
	"errors"

	"github.com/culink/culink/linker/cubin"
	"github.com/culink/culink/linker/internal/program"
)

// Debug information is decoded only here, after the sections of the inputs were joined. An error in it has the offset in the
// joined section.

// blame sets the input that an error in a debug section comes from (DIAG-120). It returns err.
func (r *emitter) blame(err error) error {
	wrong, ok := errors.AsType[*cubin.FormatError](err)
	if !ok {
		return err
	}
	for _, s := range r.Sections {
		if wrong.Part == partOf(s) {
			wrong.File = originAt(&s.Content, wrong.Offset)
		}
		if s.Mercury != nil && wrong.Part == partOfCopy(s) {
			wrong.File = originAt(&s.Mercury.Content, wrong.Offset)
		}
	}
	return err
}

// partOf returns the name of a section in errors.
func partOf(s *program.Section) string { return "section " + s.Name }

// partOfCopy is partOf for the copy of a section in the Mercury half.
func partOfCopy(s *program.Section) string { return "section " + cubin.MercuryName(s.Name) }

// originAt returns the input of the byte at an offset. An offset at the end belongs to the last input.
func originAt(c *program.Content, offset int64) string {
	if origin := c.OriginAt(uint64(offset)); origin != "" || len(c.Pieces) == 0 {
		return origin
	}
	return c.Pieces[len(c.Pieces)-1].Origin
}
