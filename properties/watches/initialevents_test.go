package watches

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/truth"
)

// TestInitialEventsAreFresh: a WatchList of the newest state may not end before
// what etcd had when it was asked for; one that names a resourceVersion may not end
// before that.
func TestInitialEventsAreFresh(t *testing.T) {
	for _, c := range []struct {
		requested, asked, version int64
		label                     string
	}{
		{wire.Unset, 7, 7, ""},
		{wire.Unset, 7, 9, ""},
		{wire.Unset, 7, 6, "stale"},
		{0, 7, 3, ""},
		{5, 7, 5, ""},
		{5, 7, 4, "stale"},
	} {
		var all testbed.Tally
		end := ended{"informer", c.requested, c.asked, c.version}
		end.judge(&all, nil)
		f := all.Finding()
		assert.Equal(t, c.label, f.Label, c)
		assert.Equal(t, c.label != "", f.Verdict == model.Violated, c)
		assert.Equal(t, 1, f.Exercised)
	}
	var all testbed.Tally
	end := ended{"informer", 0, 7, 7}
	end.judge(&all, &truth.Difference{Want: &model.Item{Key: "a"}})
	require.Equal(t, "missing-item", all.Finding().Label)
}
