package arch

import "testing"

// All versions that a release reads can be read by later releases (LTO-010).
func TestCodeVersions(t *testing.T) {
	for i := range codeVersions[1:] {
		old, v := codeVersions[i], codeVersions[i+1]
		if old.Since >= v.Since || old.Last > v.Last {
			t.Errorf("release %d after %d", v.Since, old.Since)
		}
		for k, pair := range v.Pairs {
			if was := old.Pairs[k]; pair.Major != was.Major || pair.Minor < was.Minor {
				t.Errorf("release %d reads %v, %d %v", v.Since, pair, old.Since, was)
			}
		}
	}
	for api, want := range map[uint32]uint32{118: 124, 120: 120, 123: 123, 124: 124, 127: 126, 130: 130, 134: 134, 140: 135} {
		if got := (&Profile{API: api}).CodeVersions().Since; got != want {
			t.Errorf("release %d has the versions of %d, want %d", api, got, want)
		}
	}
}
