package limit

import (
	"os"
	"runtime"
	"testing"
)

func TestDiscardKeepsWhatSharesAPage(t *testing.T) {
	page := os.Getpagesize() / 8
	memory := make([]uint64, 6*page)
	for i := range memory {
		memory[i] = 1
	}
	const inside = 3
	Discard(memory[inside : len(memory)-inside])
	zeros := 0
	for i, word := range memory {
		if word == 0 {
			zeros++
		} else if word != 1 {
			t.Fatalf("word %d is %d", i, word)
		}
	}
	if memory[0] != 1 || memory[inside-1] != 1 || memory[len(memory)-inside] != 1 || memory[len(memory)-1] != 1 {
		t.Error("memory outside of the values is lost")
	}
	want := 0
	if runtime.GOOS == "linux" {
		want = 4 * page // the first and the last page have other words too
	}
	if zeros < want || zeros > 5*page {
		t.Errorf("%d words are zero, want %d or a page more", zeros, want)
	}
}

func TestDiscardOfLittle(t *testing.T) {
	memory := []uint64{1, 2, 3}
	Discard(memory)
	Discard([]uint64(nil))
	if memory[0] != 1 || memory[2] != 3 {
		t.Errorf("memory is %v", memory)
	}
}
