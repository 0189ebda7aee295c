package arch

// A Difference is one behaviour in which releases differ: what a row says is so from release
// Since to release Until, and sets one field of Profile.
type Difference struct {
	Rule         string // its id in docs/rules.md
	Since, Until uint32 // as in Profile.API; 0 is no limit
	Says         string // for docs/toolkits.md
	set          func(*Profile)
}

// Differences is the table of all of them, except for the architectures.
var Differences = []Difference{
	{"EMIT-020", 130, 0, "linked files have OSABI 0x41", func(p *Profile) { p.OSABI = 0x41 }},
	{"EMIT-020", 130, 0, "linked files have ABI version 8", func(p *Profile) { p.ABIVersion = 8 }},
	{"EMIT-020", 130, 0, "e_version is 1", func(p *Profile) { p.ELFVersion = 1 }},
	{"EMIT-006", 120, 0, ".nv.rel.action has 16 bytes", func(p *Profile) { p.RelocationAction = relocationAction }},
	{"LOAD-013", 120, 0, "cubins of sm_90 from before 12.0 are refused", func(p *Profile) { p.MinAPI = 120 }},
}

// relocationAction is the content of .nv.rel.action from 12.0 on.
var relocationAction = []byte{0x73, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x25, 0, 5, 0x36}
