package wire

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim"
)

// The digest of a long list is that of its key-values in their order, whether a part of it is
// known from the start or not.
func TestDigestOfALongList(t *testing.T) {
	var kvs []*KeyValue
	for i := range 3 * longList {
		kvs = append(kvs, &KeyValue{Key: fmt.Sprintf("/k%06d", i), ModRevision: int64(i)})
	}
	in := NewInitial(kvs)
	seen := map[sim.Digest]string{}
	differs := func(name string, d sim.Digest) {
		require.Empty(t, seen[d], name)
		seen[d] = name
	}
	for _, part := range [][2]int{{0, longList}, {1, longList + 1}, {7, 2*longList + 9}, {longList, 3 * longList}, {0, 3 * longList}} {
		list := kvs[part[0]:part[1]:part[1]]
		shared, copied, unknown := RangeResponse{Kvs: list}, RangeResponse{Kvs: slices.Clone(list)}, RangeResponse{Kvs: list}
		shared.Know(&in)
		copied.Know(&in)
		want := unknown.Digest(sim.NewDigest)
		_, known := in.sum(list)
		require.True(t, known)
		require.Equal(t, want, shared.Digest(sim.NewDigest))
		require.Equal(t, want, copied.Digest(sim.NewDigest))
		differs(fmt.Sprint(part), want)

		changed := *copied.Kvs[longList/2]
		changed.Value = "changed"
		copied.Kvs[longList/2] = &changed
		differs(fmt.Sprint(part, " changed"), copied.Digest(sim.NewDigest))
		copied.Kvs[0], copied.Kvs[1] = copied.Kvs[1], copied.Kvs[0]
		differs(fmt.Sprint(part, " swapped"), copied.Digest(sim.NewDigest))
	}
}
