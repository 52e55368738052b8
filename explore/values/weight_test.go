package values_test

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore/values"
)

// What two values share counts once, and what a value does not point to counts nothing.
func TestWeightOfWhatIsSharedCountsOnce(t *testing.T) {
	weigh := values.Weigh()
	ten := make([]int64, 2, 10)
	type node struct{ numbers []int64 }
	header := int(unsafe.Sizeof(node{}))
	require.Equal(t, header, weigh(node{}))
	alone := weigh(node{numbers: ten})
	require.Greater(t, alone, header+10*8)
	require.Less(t, alone, header+10*8+50)
	require.Equal(t, header, weigh(node{numbers: ten}))
	// The nodes of a ring are met once each.
	require.InDelta(t, 3*int(unsafe.Sizeof(ring{})), weigh(rings(1, 2, 3)), 100)
	one := new(int64)
	shared, apart := weigh([]*int64{one, one}), weigh([]*int64{new(int64), new(int64)})
	require.Greater(t, apart, shared)
}
