package proofs_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/answers"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/internal/wholehistory"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// In each world of the table whose search can be reduced, a search with ample sets comes to the same as one without: what
// clients have recorded at each of their steps, what is judged of it, and which situations come about. Both go on behind
// what violates something, and have the whole history in their states.
func TestAmpleSetsLeaveNothingOut(t *testing.T) {
	searches, violations, states, ofFew := 0, 0, 0, 0
	for i, r := range reducible(t, testsize.Of(30_000, 3_000, 2_000)) {
		if i%testsize.Of(1, 2, 4) != 0 {
			continue
		}
		cfg := prove.Config{Bounds: prove.Bounds{Firings: r.firings}}
		all := r.searchOn(t, cfg)
		cfg.Ample = true
		few := r.searchOn(t, cfg)
		t.Logf("%s: %d states of %d, %d histories, %d violations, %d restarts", r.name(), few.States, all.States, len(all.histories), len(all.violations), few.Reduced.Restarts)
		require.Equal(t, all.Verdict, few.Verdict, r.name())
		require.Equal(t, all.histories, few.histories, r.name())
		require.Equal(t, all.violations, few.violations, r.name())
		require.Equal(t, all.situations, few.situations, r.name())
		searches, violations, states, ofFew = searches+1, violations+len(all.violations), states+all.States, ofFew+few.States
	}
	t.Logf("%d searches, %d violations: %d states of %d", searches, violations, ofFew, states)
	require.Greater(t, searches, 3)
	require.Positive(t, violations)
	require.Less(t, 5*ofFew, 4*states)
}

// A search with ample sets comes to the same with any number of workers.
func TestAmpleSetsWithAnyNumberOfWorkers(t *testing.T) {
	for i, r := range reducible(t, 3_000) {
		if i%testsize.Of(5, 10, 30) != 0 {
			continue
		}
		cfg := prove.Config{Bounds: prove.Bounds{Firings: r.firings}, Ample: true, Workers: 1}
		one := r.searched(t, cfg)
		for workers := 2; workers <= 3; workers++ {
			cfg.Workers = workers
			more := r.searched(t, cfg)
			more.Seconds, more.Bytes = one.Seconds, one.Bytes
			require.Equal(t, one, more, "%s with %d workers", r.name(), workers)
		}
	}
}

// What System.Seen says of etcd is all that judges see of it: where it is the same, and clients are, they say the same.
func TestJudgesSeeNothingElseOfEtcd(t *testing.T) {
	type said struct {
		over     bool
		past     sim.Digest
		findings []explore.Finding
	}
	again, hidden := 0, 0
	for _, sc := range testbed.Scenarios() {
		s, _, err := sc.Provable(sc.Params)
		require.NoError(t, err)
		if s.Options().Mode == sim.Timed || len(s.Claims()) == 0 || s.Goal() != nil || !s.SeesNodes() {
			continue
		}
		first := sim.NewWorld(s.Options())
		first.OmitNames()
		explore.Begin(s, first, &answers.Combination{})
		parts, learner, begin, err := newParts(first)
		require.NoError(t, err)
		known, whole, w := map[string]said{}, map[string]string{}, fork(t, first)
		for seed := range uint64(testsize.Of(300, 60, 20)) {
			r, at := rand.New(rand.NewPCG(seed, 4)), begin
			for range 200 {
				enabled := parts.World(at, w).Enabled()
				if len(enabled) == 0 {
					break
				}
				a := enabled[r.IntN(len(enabled))]
				at = take(learner, at, a)
				s.Adopt(parts.World(at, w))
				seen, all := fmt.Sprint(s.IsJudged(a.Node)), ""
				if s.IsJudged(a.Node) {
					seen += fmt.Sprint(a.Node)
				}
				for n := range sim.NodeID(w.Nodes()) {
					switch {
					case !s.PastOf(n):
					case s.IsJudged(n):
						seen += fmt.Sprint(" ", parts.Object(at, n))
					default:
						seen += fmt.Sprint(" ", s.Seen(n, w.Node(n)))
						all += fmt.Sprint(" ", parts.Object(at, n))
					}
				}
				now := said{findings: slices.Clone(s.JudgeStep(w, a)), over: s.Over(w), past: s.Past(sim.NewDigest)}
				for i := range now.findings {
					now.findings[i].Why = nil
				}
				if before, met := known[seen]; met {
					again++
					if whole[seen] != all {
						hidden++
					}
					require.Equal(t, before, now, "%s: %s", sc.Name, w.NodeName(a.Node))
				}
				known[seen], whole[seen] = now, all
			}
		}
	}
	t.Logf("%d times again, %d of them with another etcd", again, hidden)
	require.Greater(t, hidden, 1_000)
}

// reducible are the rows of the table whose search can be reduced, and of which the table has at most so many states.
func reducible(t *testing.T, most int) (list []row) {
	kept := load(t)
	for i := range promises {
		for _, r := range promises[i].rows() {
			if found, searched := kept.Proofs[r.name()]; !searched || found.States > most {
				continue
			}
			p, err := r.params()
			require.NoError(t, err)
			s, _, err := r.judged().Provable(p)
			require.NoError(t, err)
			if !r.timed() && s.Goal() == nil && s.SeesNodes() {
				list = append(list, r)
			}
		}
	}
	return list
}

// toldApart is what a search came to that goes on behind what violates something.
type toldApart struct {
	*prove.Result
	histories, violations, situations []string
}

// notingHistories notes what clients have recorded behind each of their steps, and what is judged of it.
type notingHistories struct {
	wholehistory.System
	histories, violations map[string]bool
	seen                  *sim.Seen
}

func (n notingHistories) Options() sim.Options {
	o := n.System.Options()
	o.Seen = n.seen
	return o
}

func (n notingHistories) JudgeStep(w *sim.World, a sim.Action) []explore.Finding {
	said := n.System.JudgeStep(w, a)
	if !n.IsJudged(a.Node) {
		return said
	}
	text := fmt.Sprint(a.Node, n.Past(sim.NewDigest))
	for i, f := range said {
		text += fmt.Sprint(" ", f.Verdict, f.Label, f.Exercised > 0)
		if f.Verdict == model.Violated {
			n.violations[f.Failure().String()] = true
			said[i].Verdict = model.Holds
		}
	}
	n.histories[text] = true
	return said
}

func (r *row) subject(t *testing.T) *testbed.System {
	p, err := r.params()
	require.NoError(t, err)
	s, _, err := r.judged().Provable(p)
	require.NoError(t, err)
	return s
}

func (r *row) searchOn(t *testing.T, cfg prove.Config) *toldApart {
	histories, violations, seen, found := map[string]bool{}, map[string]bool{}, sim.NewSeen(), &toldApart{}
	var err error
	found.Result, err = prove.Search(context.Background(), func() prove.Subject {
		return notingHistories{wholehistory.System{System: r.subject(t)}, histories, violations, seen}
	}, testbed.Names(r.subject(t).Claims()), cfg)
	require.NoError(t, err)
	found.histories, found.violations = slices.Sorted(maps.Keys(histories)), slices.Sorted(maps.Keys(violations))
	for _, s := range sim.Situations() {
		if seen.Has(s) {
			found.situations = append(found.situations, s.String())
		}
	}
	return found
}

func (r *row) searched(t *testing.T, cfg prove.Config) *prove.Result {
	found, err := prove.Search(context.Background(), func() prove.Subject { return r.subject(t) }, testbed.Names(r.subject(t).Claims()), cfg)
	require.NoError(t, err)
	return found
}
