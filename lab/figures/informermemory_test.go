package figures

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/scenarios/informers"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/informer"
	"github.com/watchbed/watchbed/testbed"
)

// slowNetwork is fast in everything but what it carries from API servers to
// clients.
type slowNetwork struct{ s *testbed.System }

func (slowNetwork) Pick(*sim.World, []sim.Action) int { return 0 }

func (c slowNetwork) Choose(w *sim.World, n int, what string) int {
	for _, cache := range c.s.Caches() {
		if what == "network delay" && w.Acting() == cache.ID {
			return n - 1
		}
	}
	return 0
}

const mb = 1_000_000

// TestMemoryOfInformers is the manual test of KEP-3157: 400 objects of 1 MB, and
// informers that begin at the same time. What is expected follows from the sizes:
// a LIST answer is 400 MB and there is one for each informer at a time; a
// watcher's channel has 10 slots (suggestedWatchChannelSize), or as many as are
// set.
func TestMemoryOfInformers(t *testing.T) {
	for _, c := range []struct {
		informers      int
		cache          string
		list           informer.ListMode
		slots, page    int
		lists, streams int64
		// factor is that of KEP-3157 for answers from the cache, or from etcd.
		factor int64
	}{
		{16, "kep-2340", informer.ByListWatch, 0, 0, 16 * 400 * mb, 0, 3},
		// The first page comes from the cache, the others from etcd, or from a snapshot.
		{16, "kep-2340", informer.ByListWatch, 0, 50, 16 * 50 * mb, 0, 5},
		{16, "kep-4988", informer.ByListWatch, 0, 50, 16 * 50 * mb, 0, 3},
		{16, "direct", informer.ByListWatch, 0, 0, 16 * 400 * mb, 0, 5},
		{16, "kep-2340", informer.ByWatchList, 0, 0, 0, 16 * 10 * mb, 0},
		{16, "kep-2340", informer.ByWatchList, 2, 0, 0, 16 * 2 * mb, 0},
		{16, "kep-2340", informer.ByWatchList, 100, 0, 0, 16 * 100 * mb, 0},
		{1024, "kep-2340", informer.ByListWatch, 0, 0, 1024 * 400 * mb, 0, 3},
		{1024, "kep-2340", informer.ByWatchList, 0, 0, 0, 1024 * 10 * mb, 0},
	} {
		t.Run(fmt.Sprintf("%d/%s/%s/slots=%d/page=%d", c.informers, c.cache, c.list, c.slots, c.page), func(t *testing.T) {
			p := campaigns.With(t, informers.Memory, "cache="+c.cache, fmt.Sprintf("watch-buf=%d", c.slots))
			p.Informers.Count, p.Informers.List, p.Informers.Page = c.informers, c.list, c.page
			p.Workload.Writers, p.Workload.Items = 0, 400
			if c.streams > 0 && c.informers > 16 {
				// More than a channel has slots, and no half a million messages.
				p.Workload.Items = 100
			}
			if c.page > 0 {
				// Only a list of the newest state comes in pages from a cache.
				p.Informers.RV = informer.RVNewest
			}
			s, err := informers.Memory.New(p)
			require.NoError(t, err)
			res := explore.NewRunner(s, p.Clock.Steps).Run(slowNetwork{s})
			require.False(t, res.Truncated)
			for i, r := range s.Informers() {
				assert.True(t, s.Current(r), "informer %d is at %d", i, r.ResourceVersion())
			}
			m := s.Memory()
			t.Logf("LIST answers %d MB, with what they take %d MB, channels %d MB; %d steps", m.Lists/mb, m.Temporary/mb, m.Streams/mb, res.Steps)
			assert.Equal(t, c.lists, m.Lists)
			assert.Equal(t, c.factor*c.lists, m.Temporary)
			assert.Equal(t, c.streams, m.Streams)
		})
	}
}
