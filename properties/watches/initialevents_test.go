package watches

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// TestInitialEventsAreFresh: a WatchList of the newest state may not end before
// etcd's revision at its request. A WatchList with a resourceVersion may not end
// before that resourceVersion.
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
	end.judge(&all, &testbed.Difference{Want: &model.Item{Key: "a"}})
	require.Equal(t, "missing-item", all.Finding().Label)
}

// TestAnEndThatIsNotMarkedIsNamed: what comes behind a bookmark without the annotation is no initial event of another
// type, and is told so.
func TestAnEndThatIsNotMarkedIsNamed(t *testing.T) {
	added := &wire.WatchEvent{Type: wire.Added, ResourceVersion: 4, Item: &wire.KeyValue{Key: "a", Value: "1", ModRevision: 4}}
	changed := &wire.WatchEvent{Type: wire.Modified, ResourceVersion: 6, Item: &wire.KeyValue{Key: "a", Value: "2", ModRevision: 6}}
	bookmark := &wire.WatchEvent{Type: wire.Bookmark, ResourceVersion: 5}
	for want, events := range map[string][]*wire.WatchEvent{
		"informer was sent MODIFIED RV=6 a=2 among its initial events, which are ADDED only":                                                                                 {added, changed, bookmark},
		"informer was sent MODIFIED RV=6 a=2 after BOOKMARK RV=5, a bookmark without the annotation k8s.io/initial-events-end: until one has it, a watch is sent ADDED only": {added, bookmark, changed},
	} {
		var all testbed.Tally
		onlyAdded(&all, "informer", events)
		f := all.Finding()
		require.Equal(t, "initial", f.Label)
		require.Equal(t, want, f.Why.String())
	}
}
