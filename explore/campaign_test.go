package explore_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

func explored(t *testing.T, subject func() explore.Subject, cfg explore.Config) *explore.Campaign {
	t.Helper()
	c, err := explore.Explore(context.Background(), subject, cfg)
	require.NoError(t, err)
	c.Elapsed, c.CPU = 0, 0
	return c
}

func TestCampaignDoesNotDependOnWorkers(t *testing.T) {
	for _, s := range explore.Strategies() {
		t.Run(s.Name, func(t *testing.T) {
			cfg := explore.Config{Strategy: s, FirstSeed: 7, Seeds: 500, Workers: 1, RecheckShare: 1}
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

func TestASeedAloneIsTheSeedInACampaign(t *testing.T) {
	for _, s := range explore.Strategies() {
		used := explore.NewRunner(newCounter(), 0)
		c := s.Chooser(used.Profile())
		for seed := range uint64(200) {
			c.Begin(seed)
			used.Run(c)
			if seed%50 != 49 {
				continue
			}
			alone := explore.NewRunner(newCounter(), 0)
			d := s.Chooser(alone.Profile())
			d.Begin(seed)
			require.Equal(t, used.World().TraceHash(), alone.Run(d).TraceHash, "%s, seed %d", s.Name, seed)
		}
	}
}

func TestStopAfterIsAFunctionOfTheSeeds(t *testing.T) {
	cfg := explore.Config{Seeds: 10_000, StopAfter: 1, Workers: 1}
	one := explored(t, newCounter, cfg)
	require.Less(t, one.Schedules, uint64(10_000))
	require.Len(t, one.Failures, 1)
	require.Equal(t, model.Violated, one.Verdict())
	cfg.Workers = 2
	require.Equal(t, one, explored(t, newCounter, cfg))
}

// TestPlantedMapRangeIsFound: a node whose order of sending comes from a map.
func TestPlantedMapRangeIsFound(t *testing.T) {
	_, err := explore.Explore(context.Background(), func() explore.Subject { return &mapRanger{} },
		explore.Config{Seeds: 2000, Workers: 2})
	var nd *explore.NondeterminismError
	require.ErrorAs(t, err, &nd)
	require.NotEqual(t, nd.First, nd.Second)
	require.Contains(t, err.Error(), "seed ")
}

// mapRanger is one node that sends as a map is ranged over.
type mapRanger struct{ quiet }

func (m *mapRanger) Start(env *sim.Env) {
	for k := range map[string]bool{"a": true, "b": true, "c": true, "d": true} {
		env.Send(env.Open(1), text(k))
	}
}

func (m *mapRanger) Build(w *sim.World) { w.Add("m", m) }

// leaver is a subject whose Build forgets to reset something.
type leaver struct {
	quiet
	runs int
}

func (l *leaver) Start(env *sim.Env) {
	l.runs++
	if l.runs%7 == 0 {
		env.Send(env.Open(1), text("left"))
	}
}

func (l *leaver) Build(w *sim.World) { w.Add("l", l) }

func TestWhatARunLeavesBehindIsFound(t *testing.T) {
	_, err := explore.Explore(context.Background(), func() explore.Subject { return &leaver{} },
		explore.Config{Seeds: 100, Workers: 1, RecheckShare: 1})
	var nd *explore.NondeterminismError
	require.ErrorAs(t, err, &nd)
}

// panicker panics in some runs.
type panicker struct{ quiet }

func (p *panicker) Start(env *sim.Env) {
	if env.Choose(500, "fate") == 77 {
		panic("out of luck")
	}
}

func (p *panicker) Build(w *sim.World) { w.Add("p", p) }

func TestPanicNamesItsSeed(t *testing.T) {
	c, err := explore.Explore(context.Background(), func() explore.Subject { return &panicker{} },
		explore.Config{Strategy: explore.Random(), Seeds: 50_000, Workers: 2})
	var p *explore.PanicError
	require.ErrorAs(t, err, &p)
	require.Contains(t, err.Error(), "out of luck")
	require.NotNil(t, c)
	require.PanicsWithValue(t, "out of luck", func() {
		r := explore.NewRunner(&panicker{}, 0)
		c := explore.Random().Chooser(explore.Profile{})
		c.Begin(p.Seed)
		r.Run(c)
	})
}

func TestInterruptedKeepsWhatWasFound(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	c, err := explore.Explore(ctx, newCounter, explore.Config{
		Seeds: 1 << 40, Workers: 2,
		Progress: func(c *explore.Campaign) {
			if c.Schedules > 100 {
				cancel()
			}
		},
	})
	require.NoError(t, err)
	require.True(t, c.Interrupted)
	require.NotEmpty(t, c.Failures)
	again := explored(t, newCounter, explore.Config{Seeds: c.Schedules})
	require.Equal(t, c.Hash, again.Hash, "what was done is a prefix of the seeds")
}

func TestForEndsOnTime(t *testing.T) {
	start := time.Now()
	c, err := explore.Explore(context.Background(), newCounter, explore.Config{For: 50 * time.Millisecond})
	require.NoError(t, err)
	require.Less(t, time.Since(start), 5*time.Second)
	require.NotZero(t, c.Schedules)
	require.False(t, c.Interrupted)
	require.Positive(t, c.Elapsed)
	require.Positive(t, c.CPU)
	_, err = explore.Explore(context.Background(), newCounter, explore.Config{})
	require.Error(t, err, "neither seeds nor time")
}

// forever never ends by itself.
type forever struct{ quiet }

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
	c := explored(t, func() explore.Subject { return &forever{} }, explore.Config{Seeds: 10, Steps: 100})
	require.EqualValues(t, 10, c.Truncated)
	require.EqualValues(t, 1000, c.Stats.Picks)
	require.Equal(t, model.Undecided, c.Properties[0].Verdict)
	require.Equal(t, model.Undecided, c.Verdict())
	require.Equal(t, model.Vacuous, c.Properties[1].Verdict, "claimed and never exercised")
}

func TestFewSeedsAreRecheckedToo(t *testing.T) {
	require.EqualValues(t, 1, explored(t, newCounter, explore.Config{FirstSeed: 99, Seeds: 3}).Rechecked)
	require.Zero(t, explored(t, newCounter, explore.Config{FirstSeed: 99, Seeds: 3, RecheckShare: -1}).Rechecked)
}

func TestSituationsAreCounted(t *testing.T) {
	c := explored(t, newCounter, explore.Config{Seeds: 64})
	require.NotEmpty(t, c.Situations)
	s := c.Situations[bothRead]
	require.Equal(t, "counter: two clients hold the same value", s.Situation.String())
	require.NotZero(t, s.Schedules)
	require.LessOrEqual(t, s.Schedules, c.Schedules)
	require.LessOrEqual(t, s.Schedules, s.Times)
}
