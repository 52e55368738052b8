package campaign_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

func newCounter() explore.Subject { return toys.NewCounter() }

func explored(t *testing.T, subject func() explore.Subject, cfg campaign.Config) *campaign.Result {
	t.Helper()
	c, err := campaign.Run(context.Background(), subject, cfg)
	require.NoError(t, err)
	c.Elapsed, c.CPU = 0, 0
	return c
}

func TestCampaignDoesNotDependOnWorkers(t *testing.T) {
	for _, s := range strategy.All() {
		t.Run(s.Name, func(t *testing.T) {
			cfg := campaign.Config{Strategy: s, FirstSeed: 7, Seeds: 500, Workers: 1, RecheckShare: 1}
			one := explored(t, newCounter, cfg)
			require.EqualValues(t, 500, one.Schedules)
			require.EqualValues(t, 500, one.Rechecked)
			cfg.Workers = 2
			require.Equal(t, one, explored(t, newCounter, cfg))
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			cfg.Workers = 3
			require.Equal(t, one, explored(t, newCounter, cfg))
			cfg.FirstSeed++
			require.NotEqual(t, one.Hash, explored(t, newCounter, cfg).Hash)
		})
	}
}

func TestStopAfterIsAFunctionOfTheSeeds(t *testing.T) {
	cfg := campaign.Config{Seeds: 10_000, StopAfter: 1, Workers: 1}
	one := explored(t, newCounter, cfg)
	require.Less(t, one.Schedules, uint64(10_000))
	require.Len(t, one.Failures, 1)
	require.Equal(t, model.Violated, one.Verdict())
	cfg.Workers = 2
	require.Equal(t, one, explored(t, newCounter, cfg))
}

// TestFoundIsCalledAtOnce: with the first run that fails in a batch, before the next one.
func TestFoundIsCalledAtOnce(t *testing.T) {
	var seeds []uint64
	runs := 0
	counted := func() explore.Subject {
		return &building{newCounter(), func() { runs++ }}
	}
	c := explored(t, counted, campaign.Config{Strategy: strategy.Random(), Seeds: 64, Workers: 1, RecheckShare: -1, Found: func(f campaign.FailureTally) {
		seeds = append(seeds, f.FirstSeed)
		require.EqualValues(t, f.FirstSeed+1, runs)
		require.Equal(t, explore.Failure{Property: "counts", Label: "lost update"}, f.Failure)
	}})
	require.Len(t, seeds, 2)
	require.Equal(t, c.Failures[0].FirstSeed, seeds[0])
}

func TestOrderThatComesFromAMapIsFound(t *testing.T) {
	_, err := campaign.Run(context.Background(), func() explore.Subject { return &mapRanger{} },
		campaign.Config{Seeds: 2000, Workers: 2})
	var nd *campaign.NondeterminismError
	require.ErrorAs(t, err, &nd)
	require.NotEqual(t, nd.First, nd.Second)
	require.Contains(t, err.Error(), "seed ")
}

// mapRanger is a node that sends in the order in which a map is ranged over.
type mapRanger struct{ toys.Idle }

func (m *mapRanger) Start(env *sim.Env) {
	for k := range map[string]bool{"a": true, "b": true, "c": true, "d": true} {
		env.Send(env.Open(1), toys.Text(k))
	}
}

func (m *mapRanger) Build(w *sim.World) { w.Add("m", m) }

// leaver is a subject whose Build forgets to reset something.
type leaver struct {
	toys.Idle
	runs int
}

func (l *leaver) Start(env *sim.Env) {
	l.runs++
	if l.runs%7 == 0 {
		env.Send(env.Open(1), toys.Text("left"))
	}
}

func (l *leaver) Build(w *sim.World) { w.Add("l", l) }

func TestStateLeftBehindByARunIsFound(t *testing.T) {
	_, err := campaign.Run(context.Background(), func() explore.Subject { return &leaver{} },
		campaign.Config{Seeds: 100, Workers: 1, RecheckShare: 1})
	var nd *campaign.NondeterminismError
	require.ErrorAs(t, err, &nd)
}

// panicker panics in some runs: in simulated code, or when it judges.
type panicker struct {
	toys.Idle
	judging bool
	unlucky bool
}

func (p *panicker) Start(env *sim.Env) {
	p.unlucky = env.Choose(500, "fate") == 77
	if p.unlucky && !p.judging {
		panic("out of luck")
	}
}

func (p *panicker) Build(w *sim.World) { w.Add("p", p) }

func (p *panicker) Judge(*sim.World) []explore.Finding {
	if p.unlucky {
		panic("out of luck")
	}
	return nil
}

func TestPanicOfSimulatedCodeIsAFinding(t *testing.T) {
	c := explored(t, func() explore.Subject { return &panicker{} },
		campaign.Config{Strategy: strategy.Random(), Seeds: 50_000, Workers: 2})
	require.Len(t, c.Failures, 1)
	require.Equal(t, explore.Failure{Property: explore.NoPanic, Label: "out of luck"}, c.Failures[0].Failure)
	require.Equal(t, model.Violated, c.Verdict())
	r := explore.NewRunner(&panicker{}, 0)
	chooser := strategy.Random().New(strategy.Profile{})
	for range 2 {
		chooser.Begin(c.Failures[0].FirstSeed)
		res := r.Run(chooser)
		require.Len(t, res.Findings, 1)
		require.Regexp(t, `^simulated code panicked: out of luck \(campaign_test\.\(\*panicker\)\.Start:\d+, called by sim\.`, res.Findings[0].Why.String())
	}
}

func TestPanicOfTheSubjectNamesItsSeed(t *testing.T) {
	c, err := campaign.Run(context.Background(), func() explore.Subject { return &panicker{judging: true} },
		campaign.Config{Strategy: strategy.Random(), Seeds: 50_000, Workers: 2})
	var p *campaign.PanicError
	require.ErrorAs(t, err, &p)
	require.Contains(t, err.Error(), "out of luck")
	require.NotNil(t, c)
	require.PanicsWithValue(t, "out of luck", func() {
		r := explore.NewRunner(&panicker{judging: true}, 0)
		c := strategy.Random().New(strategy.Profile{})
		c.Begin(p.Seed)
		r.Run(c)
	})
}

func TestInterruptedCampaignIsAPrefixOfTheSeeds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c, err := campaign.Run(ctx, newCounter, campaign.Config{
		Seeds: 1 << 40, Workers: 2,
		Progress: func(c *campaign.Result) {
			if c.Schedules > 100 {
				cancel()
			}
		},
	})
	require.NoError(t, err)
	require.True(t, c.Interrupted)
	require.NotEmpty(t, c.Failures)
	again := explored(t, newCounter, campaign.Config{Seeds: c.Schedules})
	require.Equal(t, c.Hash, again.Hash)
	require.Equal(t, c.Failures, again.Failures)
}

// building is a subject that says when a run begins.
type building struct {
	explore.Subject
	begins func()
}

func (s *building) Build(w *sim.World) {
	s.begins()
	s.Subject.Build(w)
}

// TestInterruptEndsABatch: the runs of a slow scenario take seconds each.
func TestInterruptEndsABatch(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	runs := 0
	third := func() {
		if runs++; runs == 3 {
			cancel()
			time.Sleep(50 * time.Millisecond)
		}
	}
	c, err := campaign.Run(ctx, func() explore.Subject { return &building{newCounter(), third} },
		campaign.Config{Strategy: strategy.Random(), Seeds: 1000, Workers: 1, RecheckShare: -1})
	require.NoError(t, err)
	require.True(t, c.Interrupted)
	require.Less(t, c.Schedules, uint64(10))
	require.Equal(t, explored(t, newCounter, campaign.Config{Strategy: strategy.Random(), Seeds: c.Schedules, RecheckShare: -1}).Hash, c.Hash)
}

func TestCampaignEndsOnTime(t *testing.T) {
	start := time.Now()
	c, err := campaign.Run(context.Background(), newCounter, campaign.Config{For: 50 * time.Millisecond})
	require.NoError(t, err)
	require.Less(t, time.Since(start), 5*time.Second)
	require.NotZero(t, c.Schedules)
	require.False(t, c.Interrupted)
	require.Positive(t, c.Elapsed)
	require.Positive(t, c.CPU)
}

func TestCampaignWithoutABoundIsRefused(t *testing.T) {
	c, err := campaign.Run(context.Background(), newCounter, campaign.Config{})
	require.EqualError(t, err, "a campaign needs a number of seeds or a time")
	require.Nil(t, c)
}

// forever never ends by itself.
type forever struct{ toys.Idle }

func (f *forever) Start(env *sim.Env)           { env.Enable(0) }
func (f *forever) Run(env *sim.Env, _ sim.Task) { env.Enable(0) }
func (f *forever) Build(w *sim.World)           { w.Add("f", f) }
func (f *forever) Judge(*sim.World) []explore.Finding {
	return []explore.Finding{
		{Property: "kept", Verdict: model.Holds, Exercised: 1},
		{Property: "idle", Verdict: model.Holds},
	}
}

func TestARunThatIsCutOffHasNotPassed(t *testing.T) {
	c := explored(t, func() explore.Subject { return &forever{} }, campaign.Config{Seeds: 10, Steps: 100})
	require.EqualValues(t, 10, c.Truncated)
	require.EqualValues(t, 1000, c.Stats.Picks)
	require.Equal(t, model.VerdictUnknown, c.Properties[0].Verdict)
	require.Equal(t, model.VerdictUnknown, c.Verdict())
	require.Equal(t, model.Vacuous, c.Properties[1].Verdict, "claimed and never checked")
}

func TestFewSeedsAreRecheckedToo(t *testing.T) {
	require.EqualValues(t, 1, explored(t, newCounter, campaign.Config{FirstSeed: 99, Seeds: 3}).Rechecked)
	require.Zero(t, explored(t, newCounter, campaign.Config{FirstSeed: 99, Seeds: 3, RecheckShare: -1}).Rechecked)
}

func TestCoveragePointsAreCounted(t *testing.T) {
	c := explored(t, newCounter, campaign.Config{Seeds: 64})
	require.NotEmpty(t, c.CoveragePoints)
	s := c.CoveragePoints[toys.BothRead]
	require.Equal(t, "counter: two clients hold the same value", s.CoveragePoint.String())
	require.NotZero(t, s.Schedules)
	require.LessOrEqual(t, s.Schedules, c.Schedules)
	require.LessOrEqual(t, s.Schedules, s.Times)
}
