package conformance

import (
	"hash/crc32"
	"os"

	spoiltable "github.com/culink/culink/conformance/spoils"
)

// allSpoils is the environment variable that makes the tests of the suite itself try every case and every spoil.
const allSpoils = "CULINK_ALL_SPOILS"

// triesAllSpoils reports whether every spoil is tried. The table of spoils needs all of them.
func triesAllSpoils() bool { return os.Getenv(allSpoils) != "" || os.Getenv(spoiltable.Folder) != "" }

// inSpoilSample reports whether a case or a spoil with this name is tried. A third of all names is. The choice depends on
// the name alone, so that a new name does not change the choice among the others.
func inSpoilSample(name string) bool {
	return triesAllSpoils() || crc32.ChecksumIEEE([]byte(name))%3 == 0
}
