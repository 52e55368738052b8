package store

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

func versions(h *History) (all []int64) {
	for i := h.startIndex; i < h.endIndex; i++ {
		all = append(all, h.at(i).ResourceVersion)
	}
	return all
}

func fill(h *History, from, to int64) {
	for rv := from; rv <= to; rv++ {
		h.updateCache(Event{ResourceVersion: rv, RecordTime: sim.Time(rv) * sim.Time(time.Second)})
	}
}

// Clones share the array; what either appends, moves or resets is its own.
func TestHistoryClone(t *testing.T) {
	for filled := int64(1); filled < 20; filled++ {
		var h History
		h.init(6)
		fill(&h, 1, filled)
		before := versions(&h)
		a, b := h.clone(), h.clone()
		fill(&a, 101, 105)
		fill(&h, 201, 204)
		inA, inH := versions(&a), versions(&h)
		require.Equal(t, before, versions(&b))
		fill(&b, 301, 330)
		h.reset()
		fill(&h, 401, 410)
		require.Equal(t, inA, versions(&a), filled)
		require.Equal(t, []int64{325, 326, 327, 328, 329, 330}, versions(&b), filled)
		require.Equal(t, []int64{101, 102, 103, 104, 105}, inA[len(inA)-5:])
		require.Equal(t, []int64{201, 202, 203, 204}, inH[len(inH)-4:])
	}
}

func TestHistoryBounds(t *testing.T) {
	var h History
	h.init(4)
	fill(&h, 1, 4)
	h.resize(sim.Time(5*time.Second), 75*time.Second, 4, 8)
	require.Equal(t, 8, h.capacity)
	fill(&h, 5, 8)
	h.resize(sim.Time(9*time.Second), 75*time.Second, 4, 8)
	require.Equal(t, 8, h.capacity, "the upper bound")
	h.resize(sim.Time(time.Hour), 75*time.Second, 4, 8)
	require.Equal(t, []int64{5, 6, 7, 8}, versions(&h))
	h.resize(sim.Time(2*time.Hour), 75*time.Second, 4, 8)
	require.Equal(t, 4, h.capacity, "the lower bound")
}

// Numbers never go down, so that an interval notices a reset.
func TestHistoryResetKeepsNumbers(t *testing.T) {
	var h History
	h.init(4)
	fill(&h, 1, 9)
	end := h.endIndex
	h.reset()
	require.Equal(t, end, h.startIndex)
	require.Zero(t, h.len())
	require.EqualValues(t, 8, h.oldest(7))
}
