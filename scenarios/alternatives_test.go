package scenarios

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/caches"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/testbed"
)

// TestAlternatives takes what the documents weigh one by one: each changes
// nothing about what holds, and each is really gone through. What does not hold
// is written down here from the reason for it.
func TestAlternatives(t *testing.T) {
	for _, tc := range []struct {
		set      string
		scenario *testbed.Scenario
		came     []string
		violated []*testbed.Property
		// idle has nothing to judge with this value.
		idle *testbed.Property
	}{
		{"current-revision=count-only", ConsistentList, []string{"cache: revision read by a count"}, nil, nil},
		{"current-revision=empty-range", ConsistentList, []string{"cache: revision read by a range without objects"}, nil, nil},
		{"revision-sharing=accumulated", ConsistentList, []string{"cache: revision read for several reads"}, nil, nil},
		{"dynamic-fallback=wait-time", ConsistentList, []string{"cache: consistent list sent to etcd because the cache was slow"}, nil, nil},
		{"progress-requests=once", ConsistentList, []string{"cache: progress requested once for a read"}, nil, nil},
		{"progress-requests=notify", ConsistentList, []string{"cache: progress notification taken in"}, nil, nil},
		{"progress-requests=echo", ConsistentList, []string{"cache: progress request echoed"}, nil, nil},
		// The member that echoes may lack what another one has confirmed.
		{"progress-requests=echo", LaggingMember, []string{"cache: progress request echoed", "etcd: entry of the log taken from the leader"}, []*testbed.Property{reads.Linearizable, reads.LinearizableData}, nil},
		{"progress-requests=notify", LaggingMember, []string{"cache: progress notification taken in", "etcd: entry of the log taken from the leader"}, nil, nil},
		{"pagination=first-page", PagedLists, []string{"cache: list with a limit answered in part", "cache: list delegated to etcd"}, nil, nil},
		// No read waits for progress.
		{"pagination=etcd", PagedLists, []string{"cache: list delegated to etcd"}, nil, caches.NeededProgress},
		{"pagination=fits", PagedLists, []string{"cache: list that does not fit one page sent to etcd"}, nil, nil},
		{"pagination=kept", PagedLists, []string{
			"cache: page answered from what was kept", "cache: kept pages dropped after their time"}, nil, nil},
		{"pagination=ignored", PagedLists, []string{"cache: list with a limit answered whole"}, nil, nil},
		{"snapshots=on", PagedLists, []string{"cache: list answered from a snapshot"}, nil, nil},
	} {
		t.Run(tc.scenario.Name+" "+tc.set, func(t *testing.T) {
			t.Parallel()
			p := campaigns.With(t, tc.scenario, tc.set)
			c := campaigns.Explored(t, tc.scenario, p, 0, testsize.Of[uint64](4_000, 500))
			rests, err := p.ComesToRest()
			require.NoError(t, err)
			for i, f := range c.Properties {
				if claim := tc.scenario.Claims[i]; claim == tc.idle || claim.Monitor.AtRest && !rests {
					assert.Zero(t, f.Exercised, f.Name)
				} else {
					assert.NotZero(t, f.Exercised, "%s was never put to the test", f.Name)
				}
				if f.Verdict == model.Violated {
					assert.Contains(t, testbed.Names(tc.violated), f.Name)
				}
			}
			assert.Subset(t, campaigns.Violated(c), testbed.Names(tc.violated))
			if tc.set == "progress-requests=notify" {
				assert.Zero(t, campaigns.Times(t, c, "cache: progress requested"))
			}
			require.NotEmpty(t, tc.came, "a row without a coverage point shows nothing")
			for _, name := range tc.came {
				assert.NotZero(t, campaigns.Times(t, c, name), name)
			}
		})
	}
}
