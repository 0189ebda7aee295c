package arch

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Default is the release that culink emulates by default.
var Default = release(13, 0, "88", "36424714_0")

// Releases returns the releases that culink emulates, oldest first. Most links need only the default release,
// so that the others are created only when they are needed.
var Releases = sync.OnceValue(func() []*Profile {
	return []*Profile{
		release(11, 2, "152", "29618528_0"),
		release(11, 8, "89", "31833905_0"),
		interpolated(release(12, 0, "140", "32267302_0")),
		interpolated(release(12, 1, "105", "32688072_0")),
		interpolated(release(12, 2, "140", "33191640_0")),
		interpolated(release(12, 3, "107", "33567101_0")),
		release(12, 4, "131", "34097967_0"),
		release(12, 5, "40", "34177558_0"),
		interpolated(release(12, 6, "85", "35059454_0")),
		interpolated(release(12, 8, "93", "35583870_0")),
		interpolated(release(12, 9, "86", "36037853_0")),
		Default,
		release(13, 1, "115", "37061995_0"),
		release(13, 2, "86", "37953736_0"),
		release(13, 3, "73", "38244171_0"),
		release(13, 4, "92", "38855100_0"),
		release(13, 5, "37", "39125733_0"),
	}
})

// patches returns the tested builds of these releases other than the newest one (KIT-201). They are found only
// by their whole version.
var patches = sync.OnceValue(func() []*Profile {
	p := []*Profile{
		release(12, 5, "82", "34385749_0"),
		release(13, 0, "48", "36260728_0"),
		release(13, 1, "80", "36836380_0"),
		release(13, 2, "51", "37434383_0"),
		release(13, 2, "78", "37668154_0"),
		release(13, 3, "33", "37862127_0"),
		release(13, 4, "59", "38657139_0"),
	}
	for _, d := range ofPatch {
		for _, q := range p {
			if slices.Contains(d.versions, q.Version) {
				d.set(q)
			}
		}
	}
	return p
})

// known returns the architectures of a list that the release knows.
func (p *Profile) known(list []Architecture) []Architecture {
	known := make([]Architecture, 0, len(list))
	for _, a := range list {
		if Holds(p.API, a.Since, a.Until) {
			known = append(known, a)
		}
	}
	return known
}

// release returns the profile of a version, with its build number, from the differences that apply to it.
func release(major, minor int, patch, build string) *Profile {
	p := &Profile{Major: major, Minor: minor, API: uint32(10*major + minor)}
	short := p.Short()
	p.Version = short + "." + patch
	p.Release = "Cuda compilation tools, release " + short + ", V" + p.Version
	p.Build = "Build cuda_" + short + ".r" + short + "/compiler." + build
	p.Architectures = p.known(architectures[:])
	p.InputOnly = p.known(inputOnly[:])
	p.SourceOnly = p.known(sourceOnly[:])
	if n := len(p.Architectures); p.API < abi8 && p.Architectures[n-1].Number >= MinMercury {
		mercury := *p
		mercury.differ(abi8)
		p.Mercury = &mercury
	}
	p.differ(p.API)
	return p
}

// differ sets the fields for those differences that apply to the release. abi is the release whose ABI its
// linked files have.
func (p *Profile) differ(abi uint32) {
	p.apply(ofABI, abi)
	p.apply(ofRelease, p.API)
}

// apply sets the fields for those differences that apply to a release.
func (p *Profile) apply(differences []Difference, api uint32) {
	for _, d := range differences {
		if Holds(api, d.Since, d.Until) {
			d.set(p)
		}
	}
}

// interpolated marks a release whose nvlink is untested (KIT-083).
func interpolated(p *Profile) *Profile {
	p.Interpolated = true
	return p
}

// Holds reports whether a release is in the range from since to until. 0 means no limit.
func Holds(api, since, until uint32) bool {
	return api >= since && (until == 0 || api <= until)
}

// Find returns the release with a version, as "13.0" or "13.0.88", or another build of a release, as "13.0.48"
// (KIT-201). For an untested build of a known line it returns the nearest one; [Profile.IsNamed] then returns
// false (KIT-207). The error lists the known releases (KIT-001).
func Find(version string) (*Profile, error) {
	if version == Default.Version { // as in most links, which need no other release
		return Default, nil
	}
	builds := slices.Concat(Releases(), patches())
	if i := slices.IndexFunc(builds, func(p *Profile) bool { return p.IsNamed(version) }); i >= 0 {
		return builds[i], nil
	}
	if p := nearest(builds, version); p != nil {
		return p, nil
	}
	return nil, fmt.Errorf("toolkit %q is not one of %s", version, Versions())
}

// IsNamed reports whether a version identifies the build. The whole version does. The line alone, as "13.0",
// identifies only the newest build of a release.
func (p *Profile) IsNamed(version string) bool {
	return p.Version == version || p.Short() == version && slices.Contains(Releases(), p)
}

// nearest returns the build of the version's line whose patch number is nearest. If two are equally near, it
// returns the later one. It returns nil for a line without builds, or for an invalid version.
func nearest(builds []*Profile, version string) (near *Profile) {
	line, text := version, ""
	if dot := strings.LastIndexByte(version, '.'); dot >= 0 {
		line, text = version[:dot], version[dot+1:]
	}
	patch, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		return nil
	}
	distance := func(p *Profile) int { return max(p.patch()-int(patch), int(patch)-p.patch()) }
	for _, p := range builds {
		if p.Short() == line && (near == nil || distance(p) < distance(near) || distance(p) == distance(near) && p.patch() > near.patch()) {
			near = p
		}
	}
	return near
}

// patch returns the last number of the version.
func (p *Profile) patch() int {
	n, _ := strconv.Atoi(p.Version[len(p.Short())+1:])
	return n
}

// Versions returns the versions of all releases, separated by commas.
func Versions() string {
	known := make([]string, len(Releases()))
	for i, p := range Releases() {
		known[i] = p.Version
	}
	return strings.Join(known, ", ")
}

// Parse parses a target name of the default release.
func Parse(name string) (Target, bool) { return Default.Parse(name) }

// Range describes a range of releases, as "from 13.2" or "up to 12.9". The description is empty for all
// releases.
func Range(since, until uint32) string {
	name := func(api uint32) string { return fmt.Sprintf("%d.%d", api/10, api%10) }
	switch {
	case since == 0 && until == 0:
		return ""
	case since == 0:
		return "up to " + name(until)
	case until == 0:
		return "from " + name(since)
	}
	return name(since) + " to " + name(until)
}
