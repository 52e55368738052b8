package informer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/sim/informer"
)

func TestOptionsAreSetByName(t *testing.T) {
	var o informer.Options
	for _, s := range [][2]string{
		{"informer-list", "watch-list"}, {"informer-rv", "unset"}, {"informer-page", "7"},
		{"informer-check", "true"}, {"informer-newest", "true"}, {"informer-not-older", "true"},
	} {
		require.NoError(t, informer.Group.Set(&o, s[0], s[1]))
	}
	assert.Equal(t, informer.Options{
		List: informer.ByWatchList, RV: informer.RVNewest, Page: 7,
		Check: true, Newest: true, NotOlder: true,
	}, o)
}
