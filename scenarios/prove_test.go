package scenarios_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/diagnosis/proof"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/wholehistory"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/testbed"
)

// What states keep of the past is enough: with the whole history in each state the search
// comes to the same verdicts and to schedules of the same length.
func TestPastIsEnough(t *testing.T) {
	for _, test := range []struct {
		scenario, settings string
		firings            int
		// saysAll: within these bounds the past tells apart what the whole history does.
		saysAll bool
	}{
		{"issue-15220", "writers=1 writes=1 readers=1 reads=1", 1, false},
		{"issue-15220", "etcd=3.5.13 writers=1 writes=1 readers=1 reads=1", 1, false},
		{"issue-15220", "etcd=3.5.13 writers=1 writes=1 readers=1 reads=2", 0, false},
		{"stale-list", "writers=1 writes=2 readers=1 reads=2", 1, false},
		{"stale-own-write", "", 0, false},
		// Raw streams of etcd's watch API.
		{"second-watch", "writes=1", 1, false},
		{"second-watch", "created=past-channel writes=1", 1, false},
		{"negative-watch", "writes=2", 1, false},
		{"negative-watch", "etcd=3.5.13 writes=2", 1, false},
		{"future-watch", "writes=4 keys=1", 0, false},
		{"future-watch", "etcd=3.5.13 writes=3", 1, false},
		// A watcher of a cache: its position says all of the one event that it was sent.
		{"resumed-watch", "writers=1 writes=1 watchers=1 leave=1 keys=1 restarts=0", 0, true},
		// An informer, which starts again once.
		{"informer-time-travel", "at-rest=true writers=1 writes=1 noise=0 noise-writes=0 keys=1 items=1 informers=1 informer-breaks=0 informer-restarts=1 restarts=0", 0, true},
	} {
		t.Run(test.scenario+" "+test.settings, func(t *testing.T) {
			sc, err := testbed.FindScenario(test.scenario)
			require.NoError(t, err)
			p := sc.Params
			for _, s := range strings.Fields(test.settings) {
				name, value, _ := strings.Cut(s, "=")
				require.NoError(t, p.Set(name, value))
			}
			search := func(whole bool) *prove.Result {
				var claims []string
				subjects := func() prove.Subject {
					s, _, err := sc.Provable(p)
					require.NoError(t, err)
					claims = testbed.Names(s.Claims())
					if whole {
						return wholehistory.System{System: s}
					}
					return s
				}
				subjects()
				r, err := prove.Search(context.Background(), subjects, claims, prove.Config{Bounds: prove.Bounds{Firings: test.firings}})
				require.NoError(t, err)
				return r
			}
			kept, all := search(false), search(true)
			t.Logf("%s: %d states, %d with the whole history", kept.Verdict, kept.States, all.States)
			require.Equal(t, all.Verdict, kept.Verdict)
			require.Len(t, kept.Failures, len(all.Failures))
			for i := range kept.Failures {
				require.Equal(t, all.Failures[i].Failure, kept.Failures[i].Failure)
				require.Equal(t, all.Failures[i].Path.Len(), kept.Failures[i].Path.Len())
			}
			if test.saysAll {
				require.Equal(t, all.States, kept.States)
				return
			}
			require.Less(t, kept.States, all.States)
		})
	}
}

// A request that is never answered comes out as a way into a loop, and the loop: on a quiet
// range where etcd defers a progress request for ever (etcd-io/etcd#17507), and in no other
// release.
func TestUnansweredRequestIsALasso(t *testing.T) {
	for _, test := range []struct {
		etcd, cache string
		never       bool
		// loop is how many steps of it are repeated: the cache requests progress, and etcd
		// ignores the request. A cache that requests it once has none.
		loop int
	}{
		{"3.5.7", "kep-2340", false, 0},
		{"3.5.12", "kep-2340", true, 3},
		{"3.5.13", "kep-2340", false, 0},
		{"3.6.16", "kep-2340", false, 0},
		{"3.7.3", "kep-2340", false, 0},
		{"3.6.16", "single-request", true, 0},
	} {
		t.Run(test.etcd+" "+test.cache, func(t *testing.T) {
			p := scenarios.QuietRange.Params
			p.Etcd, p.Cache = test.etcd, test.cache
			found, runs, err := proof.Search(context.Background(), scenarios.QuietRange, p, prove.Config{Bounds: prove.Bounds{Firings: 0}}, "test")
			require.NoError(t, err)
			if !test.never {
				require.Equal(t, string(prove.Proved), found.Verdict)
				require.Positive(t, found.Checked[reads.Answered.Name])
				return
			}
			require.Equal(t, string(prove.Violated), found.Verdict)
			require.Equal(t, reads.Answered.Name, found.Failures[0].Property)
			require.Equal(t, test.loop, found.Failures[0].Loop)
			require.Len(t, runs, 1)
		})
	}
}

// One operation is a search of issue-15220 on etcd 3.6.16 with one write and one list.
func BenchmarkProve(b *testing.B) {
	p := scenarios.Issue15220.Params
	p.Etcd = "3.6.16"
	p.Workload.Writers, p.Workload.Writes, p.Workload.Readers, p.Workload.Reads = 1, 1, 1, 1
	for _, workers := range []int{1, 2} {
		b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
			b.ReportAllocs()
			states := 0
			for b.Loop() {
				found, _, err := proof.Search(context.Background(), scenarios.Issue15220, p, prove.Config{Bounds: prove.Bounds{Firings: 2}, Workers: workers}, "benchmark")
				require.NoError(b, err)
				states += found.States
			}
			b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
		})
	}
}
