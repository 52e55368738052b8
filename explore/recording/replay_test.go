package recording_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/internal/toys"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
)

func TestReplayIsTheSameRun(t *testing.T) {
	for name, subject := range map[string]func() explore.Subject{"untimed": newCounter, "timed": newTimedCounter} {
		t.Run(name, func(t *testing.T) {
			r := explore.NewRunner(subject(), 0)
			for _, s := range strategy.All() {
				for seed := range uint64(20) {
					rec, res := recording.RecordSeed(r, s, seed)
					require.EqualValues(t, res.Stats.Choices, len(rec.Choices))
					again, err := recording.Replay(explore.NewRunner(subject(), 0), rec)
					require.NoError(t, err)
					require.Equal(t, res.TraceHash, again.TraceHash)
					require.Equal(t, res.Truncated, again.Truncated)
					f, err := recording.NewFollower(rec)
					require.NoError(t, err)
					require.Equal(t, res.TraceHash, r.Run(f).TraceHash, "a recording that fits is followed to the bit")
					taken, all := f.Followed()
					require.Equal(t, len(rec.Choices), all)
					require.Equal(t, all, taken)
					require.Empty(t, f.Unfitting())
				}
			}
		})
	}
}

func TestReplayNamesTheFirstDivergence(t *testing.T) {
	r := explore.NewRunner(newCounter(), 0)
	good, _ := recording.RecordSeed(r, strategy.Random(), 3)
	replay := func(change func(*recording.Recording)) error {
		rec := *good
		rec.Choices = slices.Clone(good.Choices)
		change(&rec)
		_, err := recording.Replay(r, &rec)
		return err
	}
	var d *recording.Divergence

	err := replay(func(rec *recording.Recording) { rec.Choices[10] = "run ghost loop" })
	require.ErrorAs(t, err, &d)
	require.Equal(t, 11, d.Index)
	require.Equal(t, "run ghost loop", d.Wanted)
	require.Contains(t, d.Enabled, good.Choices[10])
	require.ErrorContains(t, err, `choice 11: "run ghost loop" was recorded, but there is "`)

	err = replay(func(rec *recording.Recording) { rec.Choices[0] = "choose a think=1/9" })
	require.ErrorAs(t, err, &d)
	require.Equal(t, 1, d.Index)
	require.Equal(t, []string{"choose a think of 5"}, d.Enabled)

	err = replay(func(rec *recording.Recording) { rec.Choices = append(rec.Choices, "run a late") })
	require.ErrorAs(t, err, &d)
	require.Equal(t, len(good.Choices)+1, d.Index)
	require.ErrorContains(t, err, "the run is over")

	err = replay(func(rec *recording.Recording) { rec.Choices = rec.Choices[:2] })
	require.ErrorAs(t, err, &d)
	require.ErrorContains(t, err, "choice 3: the recording ends")

	var m *recording.TraceMismatch
	err = replay(func(rec *recording.Recording) { rec.TraceHash++ })
	require.ErrorAs(t, err, &m)
	require.ErrorContains(t, err, "all choices fit, but messages differ")

	err = replay(func(rec *recording.Recording) { rec.Choices[4] = "what" })
	require.ErrorContains(t, err, "choice 5: ")
}

func TestFollowingThroughChangedCode(t *testing.T) {
	recorded := explore.NewRunner(newCounter(), 0)
	changed := toys.NewCounter()
	changed.Deferred = true
	r := explore.NewRunner(changed, 0)
	found, all := 0, 0
	for seed := range uint64(200) {
		rec, res := recording.RecordSeed(recorded, strategy.Default(), seed)
		if len(rec.Violations()) == 0 {
			continue
		}
		_, err := recording.Replay(r, rec)
		var d *recording.Divergence
		require.ErrorAs(t, err, &d)
		f, err := recording.NewFollower(rec)
		require.NoError(t, err)
		res = r.Run(f)
		taken, of := f.Followed()
		require.Greater(t, taken, of*3/4, "seed %d", seed)
		unfitting := f.Unfitting()
		require.Len(t, unfitting, of-taken, "each recorded choice is taken or named, seed %d", seed)
		require.Len(t, slices.Compact(unfitting), of-taken, "each is named once, seed %d", seed)
		all++
		if res.Find(rec.Violations()[0]) != nil {
			found++
		}
	}
	t.Logf("%d of %d recordings still fail", found, all)
	require.Greater(t, found, all*9/10, "the change has nothing to do with the bug")
}

// TestUnfittingNamesWhatWasChanged: two steps that no run has, and an answer of one
// of them.
func TestUnfittingNamesWhatWasChanged(t *testing.T) {
	r := explore.NewRunner(newCounter(), 0)
	rec, _ := recording.RecordSeed(r, strategy.Random(), 3)
	rec.Choices = slices.Insert(rec.Choices, 8, "run ghost loop", "choose ghost mood=1/3")
	rec.Choices = append(rec.Choices, "run ghost other loop")
	f, err := recording.NewFollower(rec)
	require.NoError(t, err)
	r.Run(f)
	require.Subset(t, f.Unfitting(), []int{8, 9, len(rec.Choices) - 1})
	taken, of := f.Followed()
	require.Len(t, f.Unfitting(), of-taken)
}

// twins are two loops of one node with one name.
type twins struct {
	toys.Idle
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

func TestActionsOfOneNameAreDistinguished(t *testing.T) {
	n := &twins{}
	r := explore.NewRunner(n, 0)
	for seed := range uint64(20) {
		rec, _ := recording.RecordSeed(r, strategy.Random(), seed)
		order := slices.Clone(n.order)
		_, err := recording.Replay(r, rec)
		require.NoError(t, err)
		require.Equal(t, order, n.order)
		f, err := recording.NewFollower(rec)
		require.NoError(t, err)
		r.Run(f)
		require.Equal(t, order, n.order)
	}
}
