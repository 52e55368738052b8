package proofs_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// What states keep of the past is enough: with the whole history in each state the search
// comes to the same verdicts and to schedules of the same length.
func TestPastIsEnough(t *testing.T) {
	for i, test := range []struct {
		scenario, settings string
		firings            int
		// saysAll: within these bounds the past tells apart what the whole history does.
		saysAll bool
	}{
		{"issue-15220", "writers=1 writes=1 readers=1 reads=1", 1, false},
		{"issue-15220", "etcd=3.5.13 writers=1 writes=1 readers=1 reads=1", 1, false},
		{"issue-15220", "etcd=3.5.13 writers=1 writes=1 readers=1 reads=2", 0, false},
		// With a clock: which LIST waits since when.
		{"issue-17507", quietTimed + " reads=1", 0, false},
		{"issue-17507", "etcd=3.5.13 " + quietTimed + " reads=2", 0, false},
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
		// A client that asks for initial events, twice.
		{"watch-list", "writers=1 writes=1 deletes=false txns=false noise=0 noise-writes=0 keys=1 items=1 breaks=0 restarts=0 at-rest=true" +
			" caches=1 list-watchers=1 list-rounds=2", 0, false},
		// Watchers of a cache, and a client whose watches etcd serves, until nothing more can happen.
		{"full-watches-at-rest", "writers=1 writes=1 deletes=false noise=0 noise-writes=0 readers=0 watchers=1 keys=1 items=1 list-watchers=1" +
			" list-rounds=1 breaks=0 at-rest=true", 1, true},
		{"errors-at-rest", "writers=1 writes=1 deletes=false readers=0 watchers=1 leave=0 keys=1 items=1 at-rest=true drawn-watchers=0" +
			" drawn-requests=0 timeouts=0 leader-changes=0 leader-losses=0 stream-ends=0 breaks=0 recreations=0 call-breaks=1 resources=1" +
			" list-watchers=0", 1, false},
		// Reads that a cache serves, or lets etcd serve.
		{"stale-own-write", "cache=kep-2340-fallback", 1, false},
		{"stale-own-write", "etcd=3.6.16 cache=draft-2019", 1, false},
		// What etcd answers, and may refuse, depends on where it was when it was asked; with a bug that shows it, and
		// without.
		{"any-etcd-requests", "bugs=requested-revision-in-header drawn-seed=24 keys=2 items=2 streams=0 history=0 drawn-clients=1 drawn-requests=12 drawn-bytes=0 etcd-restarts=0" +
			" etcd-snapshots=0", 0, true},
		{"leases-without-leader", "bugs=issue-17642 keys=1 items=1 leader-losses=1 drawn-clients=1 drawn-requests=12 drawn-seed=7", 0, true},
		{"any-etcd-errors", "bugs=client-gives-up-reads caches=1 items=0 keys=1 history=0 restarts=0 timeouts=1 leader-changes=0 overloads=0" +
			" drawn-clients=1 drawn-requests=1 drawn-seed=1", 1, true},
		// Why requests are refused.
		{"refusals", "bugs=stale-as-overload " + one + " read=consistent caches=1 deletes=false noise=0 noise-writes=0 gets=0 watchers=0 leave=0" +
			" list-watchers=0 list-rounds=0 compactions=0 breaks=0 restarts=0 keys=1 items=1 history=0 at-rest=true", 1, false},
		// How a cache stood to etcd when it was compared, and which requests had seats.
		{"consistency-checks", "bugs=check-pages-of-newest-state writers=1 writes=2 readers=0 reads=0 compactions=0 keys=2 items=2 lost-events=0" +
			" etcd-restarts=0 leader-changes=0 at-rest=true inconsistency-detector=off page=1 progress-requests=once", 1, true},
		{"seats", "writers=0 writes=0 deletes=false noise=0 noise-writes=0 readers=2 reads=1 gets=0 watchers=0 leave=0 keys=2 items=2 informers=0" +
			" breaks=0 restarts=0 informer-breaks=0 informer-restarts=0 at-rest=true read=consistent seats=1 queues=1", 0, false},
		// What each queue was given while a request of another one waits.
		{"seats", "writers=0 writes=0 deletes=false noise=0 noise-writes=0 readers=3 reads=1 gets=0 watchers=0 leave=0 keys=1 items=1 informers=0" +
			" breaks=0 restarts=0 informer-breaks=0 informer-restarts=0 at-rest=true read=any seats=1 hand-size=1", 0, false},
		// Since when a cache may serve no snapshot, by the clock when it was compared last, and where etcd was when a
		// watch was established.
		{"consistency-checks", "inconsistency-detector=off mark-consistent=locked page=0 progress-requests=once lost-events=1 writers=1 writes=1" +
			" readers=1 reads=1 deletes=false keys=1 items=1 compactions=0 etcd-restarts=0 leader-changes=0 at-rest=true", 1, false},
		{"lost-event", "lost-events=0 writers=0 writes=0 readers=1 reads=1 read-from=40s check-period=15s keys=1 items=1 history=0 think=0s" +
			" faults-for=0s network=0s scheduling=0s horizon=1m notify=10m", 0, true},
		{"watch-established", "bugs=established-early writers=1 writes=2 deletes=false breaks=0 present-watchers=1 present-watches=1 keys=1 items=1" +
			" at-rest=true", 0, true},
		// An informer whose watch is refused.
		{"informer-expired", "at-rest=true caches=1 writers=1 writes=1 noise=0 noise-writes=0 deletes=false keys=1 items=1 compactions=0" +
			" informers=1 informer-breaks=0 informer-refusals=1", 0, true},
		// An informer, which starts again once.
		{"informer-time-travel", "at-rest=true writers=1 writes=1 noise=0 noise-writes=0 keys=1 items=1 informers=1 informer-breaks=0 informer-restarts=1 restarts=0", 0, true},
	} {
		if every := testsize.Of(1, 6); i%every != every-1 {
			continue
		}
		t.Run(test.scenario+" "+test.settings, func(t *testing.T) {
			sc, p := withSettings(t, test.scenario, test.settings)
			search := func(whole bool) *prove.Result {
				var claims []string
				subjects := func() prove.Subject {
					s, _, err := sc.Provable(p)
					require.NoError(t, err)
					claims = testbed.Names(s.Claims())
					if whole {
						return campaigns.WholeHistory{Searched: s}
					}
					return s
				}
				subjects()
				r, err := prove.Search(context.Background(), subjects, claims, prove.Config{Bounds: boundsOf(&p, test.firings)})
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

// A search asks for the past again only when a node has acted on which it depends
// (System.IsMonitored). No step of another node changes it.
func TestPastChangesOnlyWithItsNodes(t *testing.T) {
	changed := map[testbed.Part]int{}
	for _, sc := range testbed.Scenarios() {
		s, _, err := sc.Provable(sc.Params)
		require.NoError(t, err)
		if s.Options().Mode == sim.Timed || len(s.Claims()) == 0 {
			continue
		}
		for seed := range uint64(testsize.Of(5, 1)) {
			w, r := sim.NewWorld(s.Options()), rand.New(rand.NewPCG(seed, 2))
			explore.Begin(s, w, &explore.Combination{})
			var memory any
			if s.Remembers() {
				memory = s.Remembered(w)
				s.Recall(memory)
			}
			before := s.Monitors(sim.NewDigest)
			for range 300 {
				enabled := w.Enabled()
				if len(enabled) == 0 || s.Over(w) {
					break
				}
				a := enabled[r.IntN(len(enabled))]
				w.Do(&explore.Combination{}, a)
				s.Adopt(w)
				if s.Remembers() {
					memory = s.Remember(memory, w, a)
					s.Recall(memory)
				}
				past := s.Monitors(sim.NewDigest)
				if past != before && a.Kind != sim.Inject {
					require.True(t, s.IsMonitored(a.Node), "%s: %s", sc.Name, w.NodeName(a.Node))
					changed[s.Role(a.Node).Part]++
				}
				before = past
			}
		}
	}
	t.Log(changed)
	require.NotZero(t, changed[testbed.HistoryClient])
}

// A search asks once for all states in which the nodes are equal that judges see (System.SeesNodes).
// They say the same of all of them.
func TestJudgesSayTheSameOfEqualNodes(t *testing.T) {
	type said struct {
		over     bool
		findings []explore.Finding
	}
	asked, again := 0, 0
	for _, sc := range testbed.Scenarios() {
		s, _, err := sc.Provable(sc.Params)
		require.NoError(t, err)
		if s.Options().Mode == sim.Timed || len(s.Claims()) == 0 || !s.SeesNodes() {
			continue
		}
		first := sim.NewWorld(s.Options())
		first.OmitNames()
		explore.Begin(s, first, &explore.Combination{})
		store, stepper, begin, err := newStates(first)
		require.NoError(t, err)
		known, w := map[string]said{}, fork(t, first)
		for seed := range uint64(testsize.Of(50, 10)) {
			r, at := rand.New(rand.NewPCG(seed, 3)), begin
			for range 150 {
				enabled := stepper.World(at, w).Enabled()
				if len(enabled) == 0 {
					break
				}
				a := enabled[r.IntN(len(enabled))]
				at = take(stepper, at, a)
				seen := fmt.Sprint(a.Node)
				for n := range sim.NodeID(w.Nodes()) {
					if s.IsMonitored(n) {
						seen += fmt.Sprint(" ", store.Object(at, n))
					}
				}
				s.Adopt(stepper.World(at, w))
				now := said{findings: slices.Clone(s.JudgeStep(w, a)), over: s.Over(w)}
				for i := range now.findings {
					now.findings[i].Why = nil
				}
				asked++
				if before, met := known[seen]; met {
					again++
					require.Equal(t, before, now, "%s: %s", sc.Name, w.NodeName(a.Node))
				}
				known[seen] = now
			}
		}
	}
	t.Logf("asked %d times, %d of them again", asked, again)
	require.Greater(t, again, asked/10)
}
