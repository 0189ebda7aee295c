package nvinfo

import (
	"slices"
)

// firstMercury is the first release whose compilers write code as all later ones do; firstLater is the first
// that schedules as its finalizer does (KIT-060), firstClose the first that keeps nothing apart (KIT-050), firstSparing the first that leaves a scoreboard free (KIT-178).
const (
	firstMercury = 130
	firstLater   = 131
	firstClose   = 134
	firstSparing = 135
)

// MadeLater reports whether the attributes of a function are those of a compiler after 13.0.
func MadeLater(list []Record) bool { return madeFrom(list, firstLater) }

// MadeClose reports whether the attributes of a function are those of a compiler from 13.4 on.
func MadeClose(list []Record) bool { return madeFrom(list, firstClose) }

// MadeSparing reports whether the attributes of a function are those of a compiler from 13.5 on.
func MadeSparing(list []Record) bool { return madeFrom(list, firstSparing) }

// madeFrom is the same from any release on.
func madeFrom(list []Record, release uint32) bool {
	return slices.ContainsFunc(list, func(r Record) bool { return r.isVersion() && r.Word(0) >= release })
}

// MadeEarly reports whether the attributes of a function are those of a compiler before 13.0.
func MadeEarly(list []Record) bool {
	return slices.ContainsFunc(list, func(r Record) bool { return r.isVersion() && r.Word(0) < firstMercury })
}

func (r Record) isVersion() bool { return r.Code == CudaAPIVersion && len(r.Payload) == 4 }

// oldestMercuryISA is the version of the Mercury instructions of code that does not say it.
const oldestMercuryISA = 0x100

// WithMercuryISA returns the attributes of a function in its Mercury form with the version of its
// instructions, which compilers before 13.0 leave out (INFO-026).
func WithMercuryISA(list []Record) []Record {
	if slices.ContainsFunc(list, func(r Record) bool { return r.Code == MercuryISA }) {
		return list
	}
	return append(list, Record{Format: Half, Code: MercuryISA, Value: oldestMercuryISA})
}
