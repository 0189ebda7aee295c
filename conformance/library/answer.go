package library

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/culink/culink/conformance/late"
)

// A Facet is one part of an answer. Each facet is judged separately.
type Facet string

// The facets.
const (
	FacetResult Facet = "result" // result code; "crash" where the process ended
	FacetErrors Facet = "errors" // addition to the error log
	FacetInfos  Facet = "infos"  // addition to the info log
	FacetImage  Facet = "image"  // SHA-256 of the parts of the image that a loader reads
	FacetNote   Facet = "note"   // the strings in the tool notes of the image
	FacetBytes  Facet = "bytes"  // SHA-256 of the whole image
	FacetPTX    Facet = "ptx"    // SHA-256 of the PTX
	FacetValue  Facet = "value"  // any other returned value
	// FacetPrinted is the text that the library printed on the streams of the process.
	FacetPrinted Facet = "printed"
)

// Facets lists the facets in the order in which an answer shows them.
var Facets = []Facet{FacetResult, FacetErrors, FacetInfos, FacetImage, FacetNote, FacetBytes, FacetPTX, FacetValue, FacetPrinted}

// crash is the result of a call in which the process ended.
const crash = "crash"

// An Answer is the result of a call, by facet. A facet without content is missing.
type Answer map[Facet]string

// String returns the answer as the text of a case shows it: the result, then the other facets by name.
func (a Answer) String() string {
	text := a[FacetResult]
	for _, f := range Facets[1:] {
		if v, ok := a[f]; ok {
			text += fmt.Sprintf(" %s %q", f, v)
		}
	}
	return text
}

// parseAnswer parses the words of an answer in the form that String writes.
func parseAnswer(words []string) (Answer, error) {
	if len(words)%2 == 0 {
		return nil, fmt.Errorf("an answer is a result and pairs of facet and value, not %q", words)
	}
	a := Answer{FacetResult: words[0]}
	if _, err := strconv.Atoi(strings.SplitN(words[0], "/", 2)[0]); err != nil && words[0] != crash {
		return nil, fmt.Errorf("%q is no result", words[0])
	}
	for pair := range slices.Chunk(words[1:], 2) {
		f := Facet(pair[0])
		if !slices.Contains(Facets[1:], f) {
			return nil, fmt.Errorf("%q is no facet", f)
		}
		a[f] = pair[1]
	}
	return a, nil
}

// A Difference is one facet of one call in which two answers differ.
type Difference struct {
	Call      string
	Facet     Facet
	Want, Got string
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s %q, want %q", d.Call, d.Facet, d.Got, d.Want)
}

// compare returns the facets in which got differs from want.
func compare(call string, want, got Answer) (differences []Difference) {
	for _, f := range Facets {
		if want[f] != got[f] {
			differences = append(differences, Difference{call, f, cmp.Or(want[f], "nothing"), cmp.Or(got[f], "nothing")})
		}
	}
	return differences
}

// times matches the parts of the logs that differ from run to run.
var times = late.Regexp(`(nvJitLink[A-Za-z_ ]*: |Compile time = )[0-9.]+`)

// withoutTimes replaces each time in a log by a dash.
func withoutTimes(log string) string { return times().ReplaceAllString(log, "${1}-") }
