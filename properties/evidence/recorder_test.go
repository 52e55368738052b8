package evidence_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	_ "github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// comparison holds a recorder that follows nodes against a recorder that looks at all of them
// after each step.
type comparison struct {
	evidence.Polling
	t         *testing.T
	system    *testbed.System
	following *evidence.Recorder
	// calls is how many were compared in all runs.
	calls *int
}

// Finding implements testbed.Judge.
func (c *comparison) Finding(*sim.World) explore.Finding {
	for i := range c.system.Clients() {
		require.Equal(c.t, c.Operations(i), c.following.Operations(i))
		*c.calls += len(c.Operations(i))
	}
	for i := range len(c.system.Watchers()) + len(c.system.ListWatchers()) + len(c.system.DrawnWatchers()) {
		require.Equal(c.t, c.Watches(i), c.following.Watches(i))
		*c.calls += len(c.Watches(i))
	}
	for i := range c.system.Streams() {
		require.Equal(c.t, c.Stream(i), c.following.Stream(i))
		*c.calls += len(c.Stream(i).Responses)
	}
	return explore.Finding{Verdict: model.Holds, Exercised: 1}
}

// What the recorder does not look at has not changed.
func TestFollowingRecordsWhatPollingRecords(t *testing.T) {
	for _, sc := range testbed.Scenarios() {
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			calls := 0
			polled := *sc
			polled.Claims = []*testbed.Property{{
				Name: "compared", AfterRestore: true,
				New: func(s *testbed.System) testbed.Judge {
					return &comparison{evidence.PollingOf(s), t, s, evidence.Of(s), &calls}
				},
			}}
			s, err := polled.New(sc.Params)
			require.NoError(t, err)
			runner := explore.NewRunner(s, sc.Params.Clock.Steps)
			chooser := strategy.Default().For(runner)
			for seed := range uint64(10) {
				chooser.Begin(seed)
				runner.Run(chooser)
			}
			p := &sc.Params.Workload
			if p.Writers+p.Readers+p.Watchers+p.Streams > 0 {
				require.Positive(t, calls)
			}
		})
	}
}

// A client may ask when it starts. Shrinking cuts runs off before the first step.
func TestARunWithoutAStepIsJudged(t *testing.T) {
	calls := 0
	for _, sc := range testbed.Scenarios() {
		s, err := sc.New(sc.Params)
		require.NoError(t, err)
		chooser := strategy.Default().For(explore.NewRunner(s, sc.Params.Clock.Steps))
		chooser.Begin(1)
		require.NotPanics(t, func() { explore.NewRunner(s, sc.Params.Clock.Steps).RunUpTo(chooser, 0) }, sc.Name)
		for i := range s.ListWatchers() {
			calls += len(s.ListWatchers()[i].Streams())
		}
	}
	require.NotZero(t, calls, "no client has asked")
}

// shown is what a cache shows after a step. Listed is its resourceVersion when it became ready.
type shown struct{ version, compacted, listed int64 }

// watched keeps what the caches showed after each step of a run.
type watched struct {
	t        *testing.T
	system   *testbed.System
	recorded *evidence.Recorder
	// caches[i][n] is of cache i after step n, ready whether it was after the last step.
	caches [][]shown
	ready  []bool
	// calls is how many were answered, anew how many of them since a cache began anew.
	calls, anew *int
}

func (o *watched) Reset() {
	o.caches, o.ready = make([][]shown, len(o.system.Caches())), make([]bool, len(o.system.Caches()))
}

func (o *watched) AfterStep(w *sim.World, _ sim.Action) {
	for i, c := range o.system.Caches() {
		now := shown{version: c.Mirror.ResourceVersion(), compacted: c.Compacting.CompactRevision()}
		if n := len(o.caches[i]); n > 0 {
			now.listed = o.caches[i][n-1].listed
		}
		if c.Ready() && !o.ready[i] {
			now.listed = now.version
		}
		o.ready[i] = c.Ready()
		for len(o.caches[i]) <= w.Steps() {
			o.caches[i] = append(o.caches[i], now)
		}
	}
}

func (o *watched) Finding(*sim.World) explore.Finding {
	for i := range o.system.Clients() {
		o.compare(o.recorded.Operations(i))
	}
	for i := range o.system.Watchers() {
		o.compare(o.recorded.Watches(i))
	}
	return explore.Finding{Verdict: model.Holds, Exercised: 1}
}

func (o *watched) compare(calls []evidence.Call) {
	for i := range calls {
		call := &calls[i]
		if !call.Over || call.Cache < 0 {
			continue
		}
		*o.calls++
		var most shown
		all := o.caches[call.Cache][call.Asked.Step : call.Answered.Step+1]
		for _, s := range all {
			most = shown{max(most.version, s.version), max(most.compacted, s.compacted), max(most.listed, s.listed)}
		}
		if last := all[len(all)-1]; last.version < most.version || last.compacted < most.compacted {
			*o.anew++
		}
		got := call.Answered.Cache
		require.Equal(o.t, most, shown{got.Version, got.Compacted, got.Listed})
	}
}

// TestAnAnswerMayBeOfTheCacheBefore: an answer may be under way when the process restarts or its cache is made anew. A
// judge is told the greatest that was so since the request.
func TestAnAnswerMayBeOfTheCacheBefore(t *testing.T) {
	calls, anew := 0, 0
	sc := *scenarios.CompactedWatchHistory
	sc.Params.Faults.Restarts, sc.Params.Faults.Recreations, sc.Params.Workload.Readers = 2, 2, 2
	sc.Claims = []*testbed.Property{{Name: "watched", New: func(s *testbed.System) testbed.Judge {
		return &watched{t: t, system: s, recorded: evidence.Of(s), calls: &calls, anew: &anew}
	}}}
	s, err := sc.New(sc.Params)
	require.NoError(t, err)
	runner := explore.NewRunner(s, sc.Params.Clock.Steps)
	chooser := strategy.Default().For(runner)
	for seed := range uint64(1000) {
		chooser.Begin(seed)
		runner.Run(chooser)
	}
	require.Greater(t, anew, 20)
	t.Logf("%d calls, %d of them answered since a cache began anew", calls, anew)
}
