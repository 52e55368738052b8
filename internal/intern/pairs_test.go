package intern_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/intern"
)

func TestPairsHaveOneNumberEach(t *testing.T) {
	var p intern.Pairs
	require.Zero(t, p.Find(1, 0))
	known := map[[2]uint32]uint32{}
	r := rand.New(rand.NewPCG(1, 2))
	for range 10_000 {
		x := [2]uint32{1 + r.Uint32N(60), r.Uint32N(60)}
		before, met := known[x]
		require.Equal(t, before, p.Find(x[0], x[1]))
		n := p.Number(x[0], x[1])
		if met {
			require.Equal(t, before, n)
		} else {
			require.Equal(t, uint32(len(known)+1), n)
		}
		known[x] = n
		require.Equal(t, uint32(len(known)), p.Last())
	}
}
