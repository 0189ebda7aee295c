package arch

// The header of intermediate code (-lto) has four versions. Three have a major and a minor number; the fourth
// is a single number. A release reads the major numbers that it knows, and minor numbers up to its own. The
// fourth version must not exceed that of the release, and up to 12.4 must be equal to it (LTO-010).

// CodeVersions are the latest versions of intermediate code that a release reads.
type CodeVersions struct {
	Since uint32 // the first release with them, as in Profile.API
	Pairs [3]struct{ Major, Minor uint8 }
	First uint16 // the earliest fourth version
	Last  uint16
	Cut   bool // a file that ends inside the header is one of another version
}

// codeVersions lists the versions of all releases, oldest first.
var codeVersions = []CodeVersions{
	{120, [3]struct{ Major, Minor uint8 }{{1, 0x39}, {2, 0x33}, {3, 1}}, 7, 7, true},
	{121, [3]struct{ Major, Minor uint8 }{{1, 0x39}, {2, 0x35}, {3, 1}}, 7, 7, true},
	{122, [3]struct{ Major, Minor uint8 }{{1, 0x3b}, {2, 0x3a}, {3, 1}}, 7, 7, true},
	{123, [3]struct{ Major, Minor uint8 }{{1, 0x3c}, {2, 0x3f}, {3, 1}}, 7, 7, true},
	{124, [3]struct{ Major, Minor uint8 }{{1, 0x3d}, {2, 0x47}, {3, 1}}, 7, 7, false},
	{125, [3]struct{ Major, Minor uint8 }{{1, 0x3d}, {2, 0x53}, {3, 1}}, 0, 7, false},
	{126, [3]struct{ Major, Minor uint8 }{{1, 0x3e}, {2, 0x54}, {3, 1}}, 0, 7, false},
	{128, [3]struct{ Major, Minor uint8 }{{1, 0x40}, {2, 0x59}, {3, 2}}, 0, 0x14, false},
	{129, [3]struct{ Major, Minor uint8 }{{1, 0x40}, {2, 0x5d}, {3, 2}}, 0, 0x14, false},
	{130, [3]struct{ Major, Minor uint8 }{{1, 0x41}, {2, 0x62}, {3, 2}}, 0, 0x14, false},
	{131, [3]struct{ Major, Minor uint8 }{{1, 0x42}, {2, 0x6b}, {3, 2}}, 0, 0x15, false},
	{132, [3]struct{ Major, Minor uint8 }{{1, 0x42}, {2, 0x72}, {3, 2}}, 0, 0x16, false},
	{133, [3]struct{ Major, Minor uint8 }{{1, 0x43}, {2, 0x73}, {3, 2}}, 0, 0x17, false},
	{134, [3]struct{ Major, Minor uint8 }{{1, 0x43}, {2, 0x78}, {3, 2}}, 0, 0x17, false},
	{135, [3]struct{ Major, Minor uint8 }{{1, 0x43}, {2, 0x83}, {3, 2}}, 0, 0x17, false},
}

// unknownCode is the release whose versions stand for those of releases before 12.0, which are not known.
const unknownCode = 124

// CodeVersions returns the versions that the release reads. A release before 12.0 has those of 12.4.
func (p *Profile) CodeVersions() *CodeVersions {
	api := p.API
	if api < codeVersions[0].Since {
		api = unknownCode
	}
	last := &codeVersions[0]
	for i := range codeVersions {
		if codeVersions[i].Since <= api {
			last = &codeVersions[i]
		}
	}
	return last
}
