package suite

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/linker/arch"
)

// Some facts of the corpus are about some releases only: what a case expects, why an output is not sound, a waiver. The
// releases follow an @, as in expect@..11.7 (CONF-982).

// A Span is a range of releases with all their builds, or one build. The zero Span has all releases.
type Span struct {
	since, until uint32 // 131 for 13.1; 0 for no limit
	build        string // the version of the one build
}

// ParseSpan reads a range of releases: "13.5", "13.1..", "..11.7" or "13.1..13.4". It also reads the whole version of a
// build, as "13.0.48". A range without a known release is an error, because nothing would ever apply.
func ParseSpan(text string) (s Span, err error) {
	if p, err := arch.Find(text); err == nil && p.Version == text {
		return Span{build: text}, nil
	}
	since, until, isRange := strings.Cut(text, "..")
	if !isRange {
		until = since
	}
	if s.since, err = parseRelease(since); err == nil {
		s.until, err = parseRelease(until)
	}
	if err == nil && (s == Span{} || !slices.ContainsFunc(arch.Releases(), s.Holds)) {
		err = fmt.Errorf("%q has none of the releases %s", text, arch.Versions())
	}
	return s, err
}

// parseRelease reads a release such as 13.1. It returns 0 for an empty text.
func parseRelease(text string) (uint32, error) {
	if text == "" {
		return 0, nil
	}
	major, minor, _ := strings.Cut(text, ".")
	m, err := strconv.ParseUint(major, 10, 8)
	n, err2 := strconv.ParseUint(minor, 10, 8)
	if err != nil || err2 != nil || m == 0 || n > 9 || fmt.Sprintf("%d.%d", m, n) != text {
		return 0, fmt.Errorf("%q is no release such as 13.1", text)
	}
	return uint32(10*m + n), nil
}

// Holds reports whether the range has a release. nil is the release of the recordings.
func (s Span) Holds(p *arch.Profile) bool {
	if p == nil {
		p = arch.Default
	}
	if s.build != "" {
		return p.Version == s.build
	}
	return arch.Holds(p.API, s.since, s.until)
}

// CutSpan cuts the releases behind @ off a word. Without @, the word is about all releases.
func CutSpan(word string) (before string, s Span, err error) {
	before, releases, some := strings.Cut(word, "@")
	if some {
		s, err = ParseSpan(releases)
	}
	return before, s, err
}
