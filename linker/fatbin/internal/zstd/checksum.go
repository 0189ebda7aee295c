package zstd

import (
	"encoding/binary"
	"math/bits"
)

// The primes of XXH64.
const (
	prime1 uint64 = 0x9E3779B185EBCA87
	prime2 uint64 = 0xC2B2AE3D27D4EB4F
	prime3 uint64 = 0x165667B19E3779F9
	prime4 uint64 = 0x85EBCA77C2B2AE63
	prime5 uint64 = 0x27D4EB2F165667C5
)

// checksum returns XXH64 with seed 0. Frames contain its low half.
func checksum(data []byte) uint64 {
	length := uint64(len(data))
	sum := prime5
	if len(data) >= 32 {
		p := prime1 // a variable, so that the sums wrap around
		lanes := [4]uint64{p + prime2, prime2, 0, -p}
		for ; len(data) >= 32; data = data[32:] {
			for i := range lanes {
				lanes[i] = round(lanes[i], binary.LittleEndian.Uint64(data[8*i:]))
			}
		}
		sum = 0
		for i, turn := range [4]int{1, 7, 12, 18} {
			sum += bits.RotateLeft64(lanes[i], turn)
		}
		for _, lane := range lanes {
			sum = (sum^round(0, lane))*prime1 + prime4
		}
	}
	sum += length
	for ; len(data) >= 8; data = data[8:] {
		sum = bits.RotateLeft64(sum^round(0, binary.LittleEndian.Uint64(data)), 27)*prime1 + prime4
	}
	if len(data) >= 4 {
		sum = bits.RotateLeft64(sum^uint64(binary.LittleEndian.Uint32(data))*prime1, 23)*prime2 + prime3
		data = data[4:]
	}
	for _, c := range data {
		sum = bits.RotateLeft64(sum^uint64(c)*prime5, 11) * prime1
	}
	sum = (sum ^ sum>>33) * prime2
	sum = (sum ^ sum>>29) * prime3
	return sum ^ sum>>32
}

func round(lane, word uint64) uint64 { return bits.RotateLeft64(lane+word*prime2, 31) * prime1 }
