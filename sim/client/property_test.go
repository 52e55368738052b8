package client_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/client"
)

// list answers picks and choices from a list, and then with the first option.
type list struct{ choices []byte }

func (l *list) next(n int) int {
	if len(l.choices) == 0 {
		return 0
	}
	v := int(l.choices[0]) % n
	l.choices = l.choices[1:]
	return v
}
func (l *list) Pick(_ *sim.World, enabled []sim.Action) int { return l.next(len(enabled)) }
func (l *list) Choose(_ *sim.World, n int, _ string) int    { return l.next(n) }

// walk is a list without end.
type walk struct{ state uint64 }

func (r *walk) next(n int) int {
	r.state = r.state*6364136223846793005 + 1442695040888963407
	return int(r.state>>33) % n
}
func (r *walk) Pick(_ *sim.World, enabled []sim.Action) int { return r.next(len(enabled)) }
func (r *walk) Choose(_ *sim.World, n int, _ string) int    { return r.next(n) }

func small(t testing.TB, version string) client.Config {
	cfg := config(t, version)
	cfg.Watcher.IncomingBufSize, cfg.Watcher.OutgoingBufSize = 2, 2
	return cfg
}

// fill puts a client between a right server and a judge into an empty world.
func fill(w *sim.World, c *client.Client, separate, early bool, crashes int) *judge {
	s := &rightServer{commits: 8, early: early}
	j := &judge{server: s, metadata: []string{"m", "m"}, restarts: 3, requests: 6}
	if separate {
		j.metadata[1] = "n"
	}
	w.Add("etcd", s)
	w.Add("client", c)
	w.Add("cache", j)
	w.AddFault(&sim.BreakStream{From: []sim.NodeID{clientID}, To: etcdID, Label: "client>etcd"}, sim.Budget{Times: 3})
	w.AddFault(&sim.RestartProcess{Nodes: []sim.NodeID{clientID}, Label: "client"}, sim.Budget{Times: crashes})
	return j
}

// finish heals the world, lets everything that is under way arrive, and counts
// what never did.
func finish(t require.TestingT, w *sim.World, j *judge, c sim.Chooser) {
	w.Heal()
	for n := 0; w.Step(c); n++ {
		require.Less(t, n, 10000, "the world does not come to rest")
	}
	for i := range j.watches {
		for j.skip(i) != nil {
			j.lost++
			j.watches[i].seen++
		}
	}
	tally(w)
}

// A right server's events arrive once each and in order, whenever streams break,
// watches restart and the process crashes, and no bookmark comes early.
func TestNothingIsLostOrRepeated(t *testing.T) {
	cfg := small(t, newest)
	rapid.Check(t, func(t *rapid.T) {
		c := &list{choices: rapid.SliceOfN(rapid.Byte(), 0, 400).Draw(t, "choices")}
		w := sim.NewWorld(sim.Options{})
		cfg := cfg
		cfg.Watcher.DecodesConcurrently = rapid.Bool().Draw(t, "decode")
		j := fill(w, client.New(cfg), rapid.Bool().Draw(t, "separate"), false, 1)
		w.Start(c)
		for len(c.choices) > 0 && w.Step(c) {
		}
		finish(t, w, j, c)
		require.Zero(t, j.lost+j.repeated+j.early+j.wrong, "%+v", j)
	})
}

// findings sums up what judges found in many random runs.
type findings struct{ lost, repeated, early, wrong int }

func walks(t *testing.T, version string, early bool, runs int) (f findings) {
	w, c := sim.NewWorld(sim.Options{}), client.New(small(t, version))
	for seed := range runs {
		w.Reset(sim.Options{})
		c.Reset(small(t, version))
		r := &walk{state: uint64(seed)}
		j := fill(w, c, seed%2 == 0, early, 0)
		w.Start(r)
		for range 250 {
			if !w.Step(r) {
				break
			}
		}
		finish(t, w, j, r)
		f.lost += j.lost
		f.repeated += j.repeated
		f.early += j.early
		f.wrong += j.wrong
	}
	return f
}

func TestClientReleasesLoseAndRepeatEventsAsReported(t *testing.T) {
	const runs = 3000
	require.Equal(t, findings{}, walks(t, newest, false, runs), "newest client, right server")

	old := walks(t, "3.5.7", false, runs)
	require.NotZero(t, old.repeated, "3.5.7 repeats events after a progress notification (etcd #15248)")
	old.repeated = 0
	require.Equal(t, findings{}, old)

	for _, version := range []string{newest, "3.5.7"} {
		f := walks(t, version, true, runs)
		require.NotZero(t, f.early)
		require.NotZero(t, f.lost, "early progress and a break lose events in the client (etcd #15220)")
		require.Zero(t, f.wrong)
	}
}

func TestAClientThatIsResetRunsLikeANewOne(t *testing.T) {
	run := func(c *client.Client) uint64 {
		w := sim.NewWorld(sim.Options{})
		r := &walk{state: 5}
		fill(w, c, true, false, 1)
		w.Start(r)
		for range 200 {
			w.Step(r)
		}
		return w.TraceHash()
	}
	cfg := small(t, newest)
	c := client.New(cfg)
	first := run(c)
	for seed := range uint64(50) {
		w := sim.NewWorld(sim.Options{})
		r := &walk{state: seed}
		c.Reset(cfg)
		fill(w, c, true, true, 1)
		w.Start(r)
		for range 100 + seed {
			w.Step(r)
		}
		c.Reset(cfg)
		require.Equal(t, first, run(c))
		c.Reset(cfg)
	}
}

// In the middle of any run, a clone of the world goes the same way as the
// original, neither disturbs the other, and equal states have equal
// fingerprints.
func TestCloneGoesItsOwnWay(t *testing.T) {
	cfg := small(t, newest)
	rapid.Check(t, func(t *rapid.T) {
		before, after := rapid.Uint64().Draw(t, "before"), rapid.Uint64().Draw(t, "after")
		steps := rapid.IntRange(0, 300).Draw(t, "steps")
		play := func(w *sim.World, seed uint64, steps int) uint64 {
			r := &walk{state: seed}
			for range steps {
				w.Step(r)
			}
			f, err := w.Fingerprint()
			require.NoError(t, err)
			return f
		}
		w := sim.NewWorld(sim.Options{})
		fill(w, client.New(cfg), false, false, 1)
		w.Start(&walk{})
		begin := play(w, before, steps)
		fork := func() *sim.World {
			clone, err := w.Clone()
			require.NoError(t, err)
			clone.Node(cacheID).(*judge).server = clone.Node(etcdID).(*rightServer)
			return clone
		}
		clone := fork()
		f, err := clone.Fingerprint()
		require.NoError(t, err)
		require.Equal(t, begin, f)
		play(clone, after+1, 60)
		f, err = w.Fingerprint()
		require.NoError(t, err)
		require.Equal(t, begin, f, "the original does not notice")
		again := fork()
		require.Equal(t, play(w, after, 60), play(again, after, 60))
		require.Equal(t, w.TraceHash(), again.TraceHash())
	})
}
