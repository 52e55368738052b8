package ample

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// TestTooManyThreadsStartTheSearchOverOnce: from then on all steps are taken, whatever else is seen.
func TestTooManyThreadsStartTheSearchOverOnce(t *testing.T) {
	threads := NewThreads()
	begun := 0
	for n := range maxThreads + 10 {
		seen := NewSeen()
		seen.note(met{thread: sim.Cell{Index: int32(n)}, did: noStep})
		if !threads.Add(seen) {
			begun++
		}
	}
	require.Equal(t, 1, begun)
}
