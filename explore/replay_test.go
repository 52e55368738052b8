package explore_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

func TestReplayIsTheSameRun(t *testing.T) {
	for name, subject := range map[string]func() explore.Subject{"untimed": newCounter, "timed": newTimedCounter} {
		t.Run(name, func(t *testing.T) {
			r := explore.NewRunner(subject(), 0)
			for _, s := range explore.Strategies() {
				for seed := range uint64(20) {
					rec, res := explore.RecordSeed(r, s, seed)
					require.EqualValues(t, res.Stats.Choices, len(rec.Choices))
					again, err := explore.Replay(explore.NewRunner(subject(), 0), rec)
					require.NoError(t, err)
					require.Equal(t, res.TraceHash, again.TraceHash)
					require.Equal(t, res.Truncated, again.Truncated)
					f, err := explore.NewFollower(rec)
					require.NoError(t, err)
					require.Equal(t, res.TraceHash, r.Run(f).TraceHash, "a recording that fits is followed to the bit")
					taken, all := f.Followed()
					require.Equal(t, len(rec.Choices), all)
					require.Equal(t, all, taken)
				}
			}
		})
	}
}

func TestReplayNamesTheFirstDivergence(t *testing.T) {
	r := explore.NewRunner(newCounter(), 0)
	good, _ := explore.RecordSeed(r, explore.Random(), 3)
	replay := func(change func(*explore.Recording)) error {
		rec := *good
		rec.Choices = slices.Clone(good.Choices)
		change(&rec)
		_, err := explore.Replay(r, &rec)
		return err
	}
	var d *explore.Divergence

	err := replay(func(rec *explore.Recording) { rec.Choices[10] = "run nobody at-all" })
	require.ErrorAs(t, err, &d)
	require.Equal(t, 11, d.Index)
	require.Equal(t, "run nobody at-all", d.Wanted)
	require.Contains(t, d.Enabled, good.Choices[10])
	require.ErrorContains(t, err, `choice 11: "run nobody at-all" was recorded, but there is "`)

	err = replay(func(rec *explore.Recording) { rec.Choices[0] = "choose a think=1/9" })
	require.ErrorAs(t, err, &d)
	require.Equal(t, 1, d.Index)
	require.Equal(t, []string{"choose a think of 5"}, d.Enabled)

	err = replay(func(rec *explore.Recording) { rec.Choices = append(rec.Choices, "run a late") })
	require.ErrorAs(t, err, &d)
	require.Equal(t, len(good.Choices)+1, d.Index)
	require.ErrorContains(t, err, "the run is over")

	err = replay(func(rec *explore.Recording) { rec.Choices = rec.Choices[:2] })
	require.ErrorAs(t, err, &d)
	require.ErrorContains(t, err, "choice 3: the recording ends")

	var m *explore.TraceMismatch
	err = replay(func(rec *explore.Recording) { rec.TraceHash++ })
	require.ErrorAs(t, err, &m)
	require.ErrorContains(t, err, "all choices fit, but messages differ")

	err = replay(func(rec *explore.Recording) { rec.Choices[4] = "what" })
	require.ErrorContains(t, err, "choice 5: ")
}

func TestFollowingThroughChangedCode(t *testing.T) {
	recorded := explore.NewRunner(newCounter(), 0)
	changed := newCounterIn(sim.Options{})
	changed.deferred = true
	r := explore.NewRunner(changed, 0)
	found, all := 0, 0
	for seed := range uint64(200) {
		rec, res := explore.RecordSeed(recorded, explore.Portfolio(), seed)
		if len(rec.Violations()) == 0 {
			continue
		}
		_, err := explore.Replay(r, rec)
		var d *explore.Divergence
		require.ErrorAs(t, err, &d)
		f, err := explore.NewFollower(rec)
		require.NoError(t, err)
		res = r.Run(f)
		taken, of := f.Followed()
		require.Greater(t, taken, of*3/4, "seed %d", seed)
		all++
		if res.Find(rec.Violations()[0]) != nil {
			found++
		}
	}
	t.Logf("%d of %d recordings still fail", found, all)
	require.Greater(t, found, all*9/10, "the change has nothing to do with the bug")
}

// twins are two loops of one node with one name.
type twins struct {
	quiet
	order []sim.Task
}

func (n *twins) Start(env *sim.Env) {
	n.order = n.order[:0]
	for t := range sim.Task(4) {
		env.Enable(t)
	}
}
func (n *twins) Run(_ *sim.Env, t sim.Task) { n.order = append(n.order, t) }
func (n *twins) Build(w *sim.World)         { w.Add("n", n) }

func TestActionsOfOneNameAreToldApart(t *testing.T) {
	n := &twins{}
	r := explore.NewRunner(n, 0)
	for seed := range uint64(20) {
		rec, _ := explore.RecordSeed(r, explore.Random(), seed)
		order := slices.Clone(n.order)
		_, err := explore.Replay(r, rec)
		require.NoError(t, err)
		require.Equal(t, order, n.order)
		f, err := explore.NewFollower(rec)
		require.NoError(t, err)
		r.Run(f)
		require.Equal(t, order, n.order)
	}
}

func TestIndicesThatAreUsedUpChooseTheFirst(t *testing.T) {
	n := &twins{}
	r := explore.NewRunner(n, 0)
	c := explore.NewIndices([]uint16{7, 2})
	r.Run(c)
	require.Equal(t, []sim.Task{3, 2, 0, 1}, n.order)
	require.Equal(t, 2, c.Used())
	c = explore.NewIndices([]uint16{1, 1, 1, 1, 1, 1, 1})
	r.Run(c)
	require.Equal(t, []sim.Task{1, 2, 3, 0}, n.order)
	require.Equal(t, 3, c.Used(), "nothing is taken where there is no choice")
}
