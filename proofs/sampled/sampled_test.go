package sampled_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/explore/prove/schedules"
	"github.com/watchbed/watchbed/explore/strategy"
	_ "github.com/watchbed/watchbed/internal/fewcollections"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/internal/wholehistory"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/sim"
)

var (
	updateSampled = flag.Bool("sampled.update", false, "count anew what samples of schedules see, and write the table: minutes; -run TestSampled/WORLD counts one world only")
	largestSample = flag.Int("sampled.schedules", math.MaxInt, "with -sampled.update: how many schedules a sample has at most; larger ones stay as they are written where the smaller ones come to the same")
)

const (
	figuresFile = "sampled.json"
	tableFile   = "README.md"
	countAnew   = "count anew: go test ./proofs/sampled -sampled.update"
)

// seen is what the first schedules of a strategy have come to, from seed 0 on.
type seen struct {
	Schedules, States, Histories int
	// Classes is of how many classes the schedules are; 0 if they are not counted.
	Classes int `json:",omitempty"`
}

// figures are those of a world.
type figures struct {
	// States are all that there are, Histories all with which schedules end.
	States, Histories int
	// Classes are all that schedules are of; 0 if they are not counted.
	Classes int `json:",omitempty"`
	// Strategies has the samples of each strategy, each 10 times the one before.
	Strategies map[string][]seen
}

// goOn takes over the samples of a strategy that are larger than those which were counted, if these have come to what they came to before.
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
	walk := prove.NewWalk(unjudged{system}, prove.Bounds{Firings: w.firings})
	classes := schedules.NewWalk(unjudged{w.system(t)}, w.firings)
	ofClass := s.For(explore.NewRunner(w.system(t), 0))
	histories := map[sim.Digest]struct{}{}
	next := fewest
	for n := 1; n <= most; n++ {
		chooser.Begin(uint64(n - 1))
		ended, err := walk.Take(chooser)
		require.NoError(t, err)
		if ended {
			histories[wholehistory.History(system, sim.NewDigest)] = struct{}{}
		}
		if n <= w.mostClasses {
			ofClass.Begin(uint64(n - 1))
			require.True(t, classes.Take(ofClass), "a schedule did not end")
		}
		if n == next {
			x := seen{Schedules: n, States: walk.States(), Histories: len(histories)}
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
	if text, err := os.ReadFile(figuresFile); err == nil || !*updateSampled {
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &kept))
	}
	for i := range worlds {
		w := &worlds[i]
		if !*updateSampled && i >= testsize.Of(len(worlds), 1, 1) {
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
		require.NoError(t, os.WriteFile(figuresFile, append(text, '\n'), 0o644))
		require.NoError(t, os.WriteFile(tableFile, []byte(table(kept)), 0o644))
	}
}

// TestTable: README.md is what the figures give.
func TestTable(t *testing.T) {
	kept := map[string]figures{}
	text, err := os.ReadFile(figuresFile)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &kept))
	written, err := os.ReadFile(tableFile)
	require.NoError(t, err)
	require.Equal(t, table(kept), string(written), countAnew)
}

const head = `# How much a sample of schedules sees

` + "`simrun run`" + ` takes a sample of schedules, and says "holds" of the sample. Here the worlds are so small that
` + "`simrun prove`" + ` counts all of their states, so that the part which a sample sees is known. Written by
` + "`go test ./proofs/sampled -sampled.update`" + `; the smallest samples are counted again in continuous integration.

A state is what the search takes for one: what nodes will do, how often timers have fired, and of the past what a verdict depends on.
A history is what clients asked and were answered, and in which order; only schedules that end by themselves have one.
A class are the schedules that become each other by swapping adjacent steps which do not conflict: they end in the same state with the same
history. Here schedules go on until nothing can happen within the bounds, also when the clients are done. Each run of a sample is one schedule
of one class, so that a sample is never of more classes than it has schedules. "-": not counted.
Samples keep to the bounds of the search: a timer that has fired as often as they say is not offered. Seeds are 0, 1, 2 and so on.
A violation ends neither a schedule nor the search.

What the tables say of a campaign that holds: after 10,000 schedules of the portfolio it has judged nearly every history that clients can have, but a part
of the states and a smaller part of the classes. A bug that needs one order of many may be in what was not seen. That it is not there, a search
of a smaller world shows.

A world or a size is counted by itself: ` + "`go test ./proofs/sampled -run 'TestSampled/second-watch' -sampled.update -sampled.schedules 100000`" + `.
Larger samples stay as they are written where the smaller ones come to the same.
Two worlds have no samples of 1,000,000 schedules yet. They take minutes of a core that had no other work: in the second world 100,000 schedules of
each strategy took 31 seconds of it.
`

// table is the page.
func table(kept map[string]figures) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range worlds {
		w := &worlds[i]
		f, ok := kept[w.name()]
		if !ok {
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n`%s`: %s, %s, ", w.remark, w.name(),
			report.Counted(uint64(f.States), "state"), counted(f.Histories, "history", "histories"))
		if f.Classes > 0 {
			fmt.Fprintf(&b, "%s of schedules.\n\n| strategy |", counted(f.Classes, "class", "classes"))
		} else {
			b.WriteString("classes of schedules not counted.\n\n| strategy |")
		}
		sizes := f.sizes()
		for _, n := range sizes {
			fmt.Fprintf(&b, " states of %s | histories | classes |", report.Counted(uint64(n), "schedule"))
		}
		b.WriteString("\n|---|" + strings.Repeat("---:|---:|---:|", len(sizes)) + "\n")
		for _, s := range strategy.All() {
			fmt.Fprintf(&b, "| %s |", s.Name)
			for i := range sizes {
				var x seen
				if samples := f.Strategies[s.Name]; i < len(samples) {
					x = samples[i]
				}
				fmt.Fprintf(&b, " %s | %s | %s |", part(x.States, f.States), part(x.Histories, f.Histories), part(x.Classes, f.Classes))
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// sizes are those of the samples of the strategy that has the most.
func (f *figures) sizes() (list []int) {
	for _, s := range strategy.All() {
		for _, x := range f.Strategies[s.Name][min(len(list), len(f.Strategies[s.Name])):] {
			list = append(list, x.Schedules)
		}
	}
	return list
}

// part never says 100 % of what is not all.
func part(n, of int) string {
	switch n {
	case 0:
		return "-"
	case of:
		return "all"
	}
	return fmt.Sprintf("%.1f %%", min(99.9, 100*float64(n)/float64(of)))
}

// counted is for nouns that take no "s".
func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return strings.Fields(report.Counted(uint64(n), one))[0] + " " + several
}
