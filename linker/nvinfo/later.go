package nvinfo

import (
	"slices"

	"github.com/culink/culink/linker/arch"
)

// The first releases whose compilers schedule differently: the first one with Mercury code in the form of all
// later releases (MERC-108), then the first ones of on-demand waits (KIT-060), of counted FP64 (KIT-063), of no
// issue distance (KIT-050), and of a reserved scoreboard (KIT-178).
const (
	firstMercury   = 130
	firstLater     = 131
	firstCounting  = 133
	firstClose     = 134
	firstReserving = 135
)

// SchedulerOf returns which compiler scheduled the code of a function. list holds the attributes of the
// function.
func SchedulerOf(list []Record) (s arch.Scheduler) {
	for _, r := range list {
		if !r.isVersion() {
			continue
		}
		release := r.Word(0)
		s.Early = s.Early || release < firstMercury
		s.Later = s.Later || release >= firstLater
		s.CountsDoubles = s.CountsDoubles || release >= firstCounting
		s.Close = s.Close || release >= firstClose
		s.ReservesLast = s.ReservesLast || release >= firstReserving
	}
	return s
}

func (r Record) isVersion() bool { return r.Code == CudaAPIVersion && len(r.Payload) == 4 }

// oldestMercuryISA is the version of the Mercury instructions in code that does not record a version.
const oldestMercuryISA = 0x100

// WithMercuryISA returns the attributes of a function in its Mercury form, including the version of the
// Mercury instructions. Compilers before 13.0 omit this attribute (INFO-026).
func WithMercuryISA(list []Record) []Record {
	if slices.ContainsFunc(list, func(r Record) bool { return r.Code == MercuryISA }) {
		return list
	}
	return append(list, Record{Format: Half, Code: MercuryISA, Value: oldestMercuryISA})
}
