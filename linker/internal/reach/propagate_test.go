package reach

import (
	"testing"

	"pgregory.net/rapid"
)

// TestStackDepth compares the stack size of every function with a walk over all paths. The size is the largest
// sum of frames, or unknown if a path is cyclic (STACK-002, STACK-101).
func TestStackDepth(t *testing.T) { rapid.Check(t, stackDepthOfPaths) }

// FuzzStackDepth is TestStackDepth with input from the fuzzing engine.
func FuzzStackDepth(f *testing.F) { f.Fuzz(rapid.MakeFuzz(stackDepthOfPaths)) }

func stackDepthOfPaths(t *rapid.T) {
	n := rapid.IntRange(1, 8).Draw(t, "functions")
	g := &CallGraph{Calls: make([][]int32, n), Count: n}
	frames := make([]uint32, n)
	for i := range n {
		frames[i] = rapid.Uint32Range(0, 100).Draw(t, "frame")
		for _, callee := range rapid.SliceOfN(rapid.IntRange(0, n-1), 0, 3).Draw(t, "calls") {
			g.Calls[i] = append(g.Calls[i], int32(callee))
		}
	}
	depth := NewStackDepth(g, frames)
	for i := range n {
		if got, want := depth.Of(int32(i)), deepest(g, frames, int32(i), map[int32]bool{}); got != want {
			t.Fatalf("function %d of %v with frames %v: %#x, want %#x", i, g.Calls, frames, got, want)
		}
	}
}

// deepest walks every path from node.
func deepest(g *CallGraph, frames []uint32, node int32, path map[int32]bool) uint64 {
	if path[node] {
		return StackUnknown
	}
	path[node] = true
	defer delete(path, node)
	var below uint64
	for _, callee := range g.Calls[node] {
		below = max(below, deepest(g, frames, callee, path))
	}
	if below == StackUnknown {
		return StackUnknown
	}
	return uint64(frames[node]) + below
}
