package wire_test

import (
	"hash/fnv"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/wire"
)

// TestHashOfIsFNV: sharding.HashField uses hash/fnv.
func TestHashOfIsFNV(t *testing.T) {
	for _, value := range []string{"", "a", "2/registry/pods/a", "7f1b2c9e-8d52-4f3e-9c8e-0d8f3a5b6c7d"} {
		h := fnv.New64a()
		_, err := h.Write([]byte(value))
		require.NoError(t, err)
		require.Equal(t, h.Sum64(), wire.HashOf(value), value)
	}
}

// TestNumberedNamesLieTogether: FNV-1a hardly mixes the last characters into the first bits, by which shards divide.
// KEP-5866 says that the hash makes sequential values uniform.
func TestNumberedNamesLieTogether(t *testing.T) {
	in := map[uint64]int{}
	for i := range 100 {
		in[wire.HashOf("team-"+strconv.Itoa(1+i))>>60]++
	}
	require.Equal(t, map[uint64]int{4: 90, 11: 1, 13: 9}, in, "of sixteen equal shards three have all of a hundred namespaces")
}
