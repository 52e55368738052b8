package main

import (
	"encoding/json"
	"flag"
	"maps"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/internal/campaigns"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/sim"
)

var (
	updateSampled = flag.Bool("sampled.update", false, "count anew what samples of schedules see: minutes; -run TestSampled/WORLD counts one world only")
	largestSample = flag.Int("sampled.schedules", math.MaxInt, "with -sampled.update: how many schedules a sample has at most; larger ones stay as they are written where the smaller ones come to the same")
)

const countAnew = "count anew: go test . -run TestSampled -sampled.update"

// goOn takes over the samples of a strategy that are larger than those which were counted, if these have come to what
// they came to before.
func (f *figures) goOn(before *figures) {
	for name, counted := range f.Strategies {
		if old := before.Strategies[name]; len(old) > len(counted) && slices.Equal(old[:len(counted)], counted) {
			f.Strategies[name] = old
		}
	}
}

// TestGoOn: what was not counted anew stays only behind samples that have not changed.
func TestGoOn(t *testing.T) {
	before := figures{Strategies: map[string][]seen{
		"same":  {{Schedules: 1_000, States: 5}, {Schedules: 10_000, States: 7}},
		"other": {{Schedules: 1_000, States: 5}, {Schedules: 10_000, States: 7}},
	}}
	f := figures{Strategies: map[string][]seen{
		"same":  {{Schedules: 1_000, States: 5}},
		"other": {{Schedules: 1_000, States: 6}},
		"new":   {{Schedules: 1_000, States: 4}},
	}}
	f.goOn(&before)
	require.Equal(t, map[string][]seen{
		"same":  {{Schedules: 1_000, States: 5}, {Schedules: 10_000, States: 7}},
		"other": {{Schedules: 1_000, States: 6}},
		"new":   {{Schedules: 1_000, States: 4}},
	}, f.Strategies)
}

// fewest is the size of the smallest sample.
const fewest = 1_000

// sample takes schedules of a strategy. What a strategy wants to know of the scenario it is
// told of unbounded runs, as in a campaign.
func (w *world) sample(t *testing.T, s strategy.Strategy, most int) (samples []seen) {
	t.Helper()
	chooser := s.For(explore.NewRunner(w.system(t), 0))
	system := w.system(t)
	walk := newWalk(unjudged{system}, w.firings)
	classes := schedules.NewWalk(unjudged{w.system(t)}, w.firings)
	ofClass := s.For(explore.NewRunner(w.system(t), 0))
	histories := map[sim.Digest]struct{}{}
	next := fewest
	for n := 1; n <= most; n++ {
		chooser.Begin(uint64(n - 1))
		ended, err := walk.take(chooser)
		require.NoError(t, err)
		if ended {
			histories[campaigns.History(system.System, sim.NewDigest)] = struct{}{}
		}
		if n <= w.mostClasses {
			ofClass.Begin(uint64(n - 1))
			require.True(t, classes.Take(ofClass), "a schedule did not end")
		}
		if n == next {
			x := seen{Schedules: n, States: len(walk.states), Histories: len(histories)}
			if n <= w.mostClasses {
				x.Classes = classes.Classes()
			}
			samples = append(samples, x)
			next *= 10
		}
	}
	return samples
}

// TestSampled counts the states of each world and the smallest samples again, and compares.
func TestSampled(t *testing.T) {
	kept := map[string]figures{}
	require.NoError(t, json.Unmarshal(sampledJSON, &kept))
	for i := range worlds {
		w := &worlds[i]
		if !*updateSampled && i >= testsize.Of(len(worlds), 1) {
			break
		}
		t.Run(w.name(), func(t *testing.T) {
			most := fewest
			if *updateSampled {
				most = min(w.most, *largestSample)
			}
			want, ok := kept[w.name()]
			f := figures{Strategies: map[string][]seen{}}
			f.States, f.Histories = w.all(t)
			f.Classes = w.classes(t)
			samples := make([][]seen, len(strategy.All()))
			t.Run("strategies", func(t *testing.T) {
				for i, s := range strategy.All() {
					t.Run(s.Name, func(t *testing.T) {
						t.Parallel()
						samples[i] = w.sample(t, s, most)
					})
				}
			})
			for i, s := range strategy.All() {
				f.Strategies[s.Name] = samples[i]
				for _, x := range samples[i] {
					require.LessOrEqual(t, x.States, f.States, "%s has left the bounds", s.Name)
					require.LessOrEqual(t, x.Histories, f.Histories, s.Name)
					require.LessOrEqual(t, x.Classes, f.Classes, s.Name)
				}
			}
			if *updateSampled {
				f.goOn(&want)
				kept[w.name()] = f
				return
			}
			require.True(t, ok, "the world is new; %s", countAnew)
			for name, samples := range want.Strategies {
				want.Strategies[name] = samples[:1]
			}
			require.Equal(t, want, f, countAnew)
		})
	}
	if *updateSampled && !t.Failed() {
		maps.DeleteFunc(kept, func(name string, _ figures) bool {
			return !slices.ContainsFunc(worlds, func(w world) bool { return w.name() == name })
		})
		text, err := json.MarshalIndent(kept, "", "\t")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile("sampled.json", append(text, '\n'), 0o644))
	}
}
