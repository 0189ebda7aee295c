// Package corpus embeds the recorded cases, so that cuconform needs nothing but
// itself. docs/corpus.md says how they are laid out.
//
// Files holds waivers.txt and of each case what a run needs: <area>/<case>/case.txt and its
// recordings, without the sources that they were made from. They are embedded as they stand, or,
// with the build tag packed, as the archive that go generate makes of them: so are the released binaries built, which
// have less than half the size then.
package corpus

//go:generate go run ./pack corpus.zip
