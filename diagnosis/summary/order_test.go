package summary_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/summary"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/testbed"
)

// TestWhatClientsSeeIsToldFirst: whatever the campaign has found first, what is not known is told before what is. Of
// either, the property with which a known bug is listed is told before all others; without a bug one about what clients
// see before those about what a cache holds, data that is missing before a revision that is too old, initial events
// before bookmarks, and what an informer holds before what it was sent.
func TestWhatClientsSeeIsToldFirst(t *testing.T) {
	for _, c := range []struct{ bug, violated, first, known string }{
		{"", "cache-matches-etcd linearizable linearizable-data", "linearizable-data", ""},
		{"", "pages linearizable cache-matches-etcd", "linearizable", ""},
		{"", "exact pages cache-matches-etcd", "exact", ""},
		{"", "bookmarkable cache-matches-etcd initial-events", "initial-events", ""},
		{"", "informer-matches-etcd initial-events", "informer-matches-etcd", ""},
		{"", "informer-catches-up informer-matches-etcd", "informer-matches-etcd", ""},
		{"", "sequential read-your-writes", "read-your-writes", ""},
		{"kubernetes-58545", "linearizable-data ordered resumable", "ordered", ""},
		{"", "cache-matches-etcd linearizable", "cache-matches-etcd", "linearizable"},
	} {
		var p testbed.Params
		if c.bug != "" {
			require.NoError(t, p.Set("bugs", c.bug))
		}
		var known []summary.Known
		for _, name := range strings.Fields(c.known) {
			known = append(known, summary.Known{Property: name, Because: []string{"a race"}})
		}
		var failures []campaign.FailureTally
		for _, name := range strings.Fields(c.violated) {
			failures = append(failures, campaign.FailureTally{Failure: explore.Failure{Property: name}, Schedules: 1})
		}
		for range 2 {
			assert.Equal(t, c.first, summary.PlainestFirst(known, &p, failures)[0].Failure.Property, c.violated)
			slices.Reverse(failures)
		}
	}
}
