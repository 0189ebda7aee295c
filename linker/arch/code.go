package arch

// The header of intermediate code (-lto) has four versions. Three have a major and a minor number; the fourth
// is a single number. A release reads the major numbers that it knows, and minor numbers up to its own. The
// fourth version must not exceed that of the release (LTO-010).

// CodeVersions are the latest versions of intermediate code that a release reads.
type CodeVersions struct {
	Since uint32 // the first release with them, as in Profile.API
	Pairs [3]struct{ Major, Minor uint8 }
	Last  uint16
}

// codeVersions lists the versions of all releases, oldest first.
var codeVersions = []CodeVersions{
	{130, [3]struct{ Major, Minor uint8 }{{1, 0x41}, {2, 0x62}, {3, 2}}, 0x14},
	{131, [3]struct{ Major, Minor uint8 }{{1, 0x42}, {2, 0x6b}, {3, 2}}, 0x15},
	{132, [3]struct{ Major, Minor uint8 }{{1, 0x42}, {2, 0x72}, {3, 2}}, 0x16},
	{133, [3]struct{ Major, Minor uint8 }{{1, 0x43}, {2, 0x73}, {3, 2}}, 0x17},
	{134, [3]struct{ Major, Minor uint8 }{{1, 0x43}, {2, 0x78}, {3, 2}}, 0x17},
	{135, [3]struct{ Major, Minor uint8 }{{1, 0x43}, {2, 0x83}, {3, 2}}, 0x17},
}

// CodeVersions returns the versions that the release reads. A release before 13.0 has those of 13.0.
func (p *Profile) CodeVersions() *CodeVersions {
	last := &codeVersions[0]
	for i := range codeVersions {
		if codeVersions[i].Since <= p.API {
			last = &codeVersions[i]
		}
	}
	return last
}
