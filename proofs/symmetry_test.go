package proofs_test

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/answers"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/internal/testsize"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// A search that does not tell clients apart with equal programs comes to the same verdicts as
// one that does, and its states are the orbits of the whole graph: two readers that swap their
// places in a state make another one, to which the same schedule leads with the two swapped. The
// orbits are found by taking each schedule in both ways.
func TestSymmetryHasAStateOfEachOrbit(t *testing.T) {
	two := [][]string{{"reader-1", "reader-2"}}
	for _, test := range []struct {
		scenario, settings string
		firings            int
		alike              [][]string
		large              bool
	}{
		{"issue-15220", "etcd=3.6.16 bugs=revision-of-last-reader writers=1 writes=1 readers=2 reads=1", 0, two, true},
		{"issue-15220", "etcd=3.6.16 cache=kep-2340-fallback writers=0 readers=3 reads=1", 1, [][]string{{"reader-1", "reader-2", "reader-3"}}, true},
		{"issue-15220", "etcd=3.6.16 writers=0 readers=2 reads=1 breaks=1", 0, two, false},
		{"issue-15220", "etcd=3.6.16 caches=2 writers=0 readers=3 reads=1", 0, [][]string{{"reader-1", "reader-3"}}, false},
		{"issue-15220", "etcd=3.6.16 writers=1 writes=1 readers=1 reads=1", 0, nil, false},
		{"issue-15220", "etcd=3.6.16 writers=1 writes=1 readers=2 reads=1", 0, two, true},
		{"issue-15220", "etcd=3.5.7 writers=1 writes=1 readers=2 reads=1", 1, two, true},
		{"issue-15220", "etcd=3.6.16 caches=2 writers=0 readers=4 reads=1", 0, [][]string{{"reader-1", "reader-3"}, {"reader-2", "reader-4"}}, true},
		{"issue-15220", "etcd=3.6.16 writers=0 readers=2 reads=1 restarts=1", 0, two, true},
	} {
		if test.large && !testsize.Full() {
			continue
		}
		t.Run(fmt.Sprint(test.scenario, " ", test.settings, " ", test.firings), func(t *testing.T) {
			sc, err := testbed.FindScenario(test.scenario)
			require.NoError(t, err)
			p := sc.Params
			require.NoError(t, setAll(&p, test.settings))
			system, _, err := sc.Provable(p)
			require.NoError(t, err)
			claims := testbed.Names(system.Claims())
			subject := func() prove.Subject {
				s, _, err := sc.Provable(p)
				require.NoError(t, err)
				return s
			}
			cfg := prove.Config{Bounds: prove.Bounds{Firings: test.firings}}
			each, err := prove.Search(context.Background(), subject, claims, cfg)
			require.NoError(t, err)
			cfg.Symmetry = true
			one, err := prove.Search(context.Background(), subject, claims, cfg)
			require.NoError(t, err)
			t.Logf("%s: %d states for %d, %d transitions for %d", one.Verdict, one.States, each.States, one.Transitions, each.Transitions)
			require.Equal(t, each.Verdict, one.Verdict)
			require.Equal(t, each.Depth, one.Depth)
			require.Equal(t, failuresOf(each), failuresOf(one))
			require.Equal(t, test.alike, one.Alike)
			if test.alike == nil {
				require.Equal(t, each.States, one.States)
				return
			}
			require.Equal(t, each.States, one.StandsFor)
			o := &orbits{t: t, subject: system, firings: test.firings, sets: system.Alike()}
			found, states := o.search(each.Depth)
			require.Equal(t, each.States, states)
			require.Equal(t, found, one.States)
			for _, f := range one.Failures {
				result := explore.NewRunner(subject(), 0).Run(f.Path)
				require.NotNil(t, result.Find(f.Failure), f.Failure)
			}
		})
	}
}

// What a client asks, whom, and what it goes by may tell it apart.
func TestClientsThatAreToldApart(t *testing.T) {
	const base = "writers=1 readers=2 reads=2 "
	for settings, alike := range map[string]bool{
		base:                   true,
		base + "read=any":      true,
		base + "page=1":        true,
		base + "breaks=1":      true,
		base + "restarts=1":    true,
		base + "caches=2":      false, // each asks a cache of its own
		base + "seats=1":       false, // queues are dealt by the number of a client
		base + "read=seen":     false, // a LIST of the newest revision that was seen
		base + "read=every":    false, // each in another way
		base + "read=past":     false, // as above
		"writers=2 readers=1 ": false, // each writes values of its own
	} {
		t.Run(settings, func(t *testing.T) {
			p := scenarios.Issue15220.Params
			require.NoError(t, setAll(&p, settings))
			s, _, err := scenarios.Issue15220.Provable(p)
			require.NoError(t, err)
			require.Equal(t, alike, len(s.Alike()) > 0, "%v", s.Alike())
		})
	}
}

// failuresOf are the failures of a search with the lengths of their schedules.
func failuresOf(r *prove.Result) map[explore.Failure]int {
	all := map[explore.Failure]int{}
	for _, f := range r.Failures {
		all[f.Failure] = f.Path.Len()
	}
	return all
}

// orbits finds all states without the code that orders nodes, and beside each the states that the
// schedule leads to in which members swap their places.
type orbits struct {
	t       *testing.T
	subject *testbed.System
	firings int
	sets    [][]sim.NodeID
	// swaps are the nodes that swap their places in each mirror.
	swaps [][2]sim.NodeID

	numbers map[uint64]int
	queue   []arrival
	// path leads from the beginning to the state that was expanded last. States of one depth follow each other in
	// the order of their parents, so that most of it leads to the next one, too.
	path []mirrored
	// least is, by state, the first one that differs from it only in who is who, as far as is known.
	least []int
}

// arrival is how a state was come to first. Worlds are large, and a few steps make them again.
type arrival struct {
	parent, depth int
	// number is that of the action among those that the parent enables, given are its answers.
	number int
	given  given
	// images are the keys of the mirrors.
	images []uint64
}

// mirrored is a state, and what it is in mirrors: in each two nodes have swapped their places from the
// beginning. All orders of a set come from swaps of two that stand side by side.
type mirrored struct {
	met
	state   int
	mirrors []*sim.World
}

// search goes through the states up to a depth and says how many orbits and states there are. A
// step that violates something leads to no state.
func (o *orbits) search(depth int) (found, states int) {
	first := mirrored{met: met{world: sim.NewWorld(o.subject.Options())}}
	explore.Begin(o.subject, first.world, &answers.Combination{})
	for _, set := range o.sets {
		for i := range set[1:] {
			o.swaps = append(o.swaps, [2]sim.NodeID{set[i], set[i+1]})
			first.mirrors = append(first.mirrors, o.clone(first.world))
		}
	}
	o.numbers = map[uint64]int{}
	o.path = []mirrored{first}
	o.meet(first, arrival{parent: -1})
	for s := 0; s < len(o.queue); s++ {
		if o.queue[s].depth > depth {
			break
		}
		from := o.comeTo(s)
		if o.subject.Adopt(from.world); !o.subject.Over(from.world) {
			o.expand(from)
		}
	}
	o.least = make([]int, len(o.queue))
	for s := range o.least {
		o.least[s] = s
	}
	for changed := true; changed; {
		changed = false
		for s := range o.queue {
			for _, image := range o.queue[s].images {
				x, known := o.numbers[image]
				require.True(o.t, known, "no schedule leads to the state with two members swapped")
				if m := min(o.least[s], o.least[x]); o.least[s] != m || o.least[x] != m {
					o.least[s], o.least[x], changed = m, m, true
				}
			}
		}
	}
	for s := range o.least {
		if o.least[s] == s {
			found++
		}
	}
	return found, len(o.queue)
}

// comeTo makes the worlds of a state by the steps in which its path differs from that of the last one.
func (o *orbits) comeTo(s int) mirrored {
	depth := o.queue[s].depth
	if depth < len(o.path) && o.path[depth].state == s {
		return o.path[depth]
	}
	from, by := o.comeTo(o.queue[s].parent), &o.queue[s]
	next, _ := o.take(from, from.world.Enabled()[by.number], func() sim.Chooser {
		answers := slices.Clone(by.given)
		return &answers
	})
	next.state = s
	o.path = append(o.path[:depth], next)
	return next
}

func (o *orbits) clone(w *sim.World) *sim.World {
	c, err := w.Clone()
	require.NoError(o.t, err)
	return c
}

func (o *orbits) key(m met) uint64 {
	behaviour, err := m.world.Behaviour()
	require.NoError(o.t, err)
	o.subject.Adopt(m.world)
	key := o.subject.Past(behaviour)
	for _, id := range slices.SortedFunc(maps.Keys(m.fired), func(a, b timer) int {
		return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.timer, b.timer))
	}) {
		key = key.Int(int64(id.node)).Int(int64(id.timer)).Int(int64(m.fired[id]))
	}
	return key.Sum()
}

func (o *orbits) meet(m mirrored, by arrival) {
	key := o.key(m.met)
	if _, known := o.numbers[key]; !known {
		for _, mirror := range m.mirrors {
			by.images = append(by.images, o.key(met{mirror, m.fired}))
		}
		o.numbers[key] = len(o.queue)
		o.queue = append(o.queue, by)
	}
}

func (o *orbits) expand(from mirrored) {
	for i, a := range slices.Clone(from.world.Enabled()) {
		if a.Kind == sim.Fire && o.subject.Endless(a.Node) && from.fired[timer{a.Node, from.world.TimerOf(a)}] >= o.firings {
			continue
		}
		var given answers.Combination
		for more := true; more; more = given.Next() {
			next, finding := o.take(from, a, func() sim.Chooser {
				given.Again()
				return &given
			})
			if !slices.ContainsFunc(finding, func(f explore.Finding) bool { return f.Verdict == model.Violated }) {
				o.meet(next, arrival{parent: from.state, depth: o.queue[from.state].depth + 1, number: i, given: slices.Clone(given.Given())})
			}
		}
	}
}

// take takes a step in the world, and the one that corresponds to it in each mirror: they come to the same.
func (o *orbits) take(from mirrored, a sim.Action, given func() sim.Chooser) (next mirrored, finding []explore.Finding) {
	if next.fired = from.fired; a.Kind == sim.Fire && o.subject.Endless(a.Node) {
		if next.fired = maps.Clone(from.fired); next.fired == nil {
			next.fired = map[timer]int{}
		}
		next.fired[timer{a.Node, from.world.TimerOf(a)}]++
	}
	next.world = o.clone(from.world)
	next.world.Do(given(), a)
	finding = o.judge(next.world, a)
	for i, mirror := range from.mirrors {
		b := o.mirror(from.world, a, mirror, o.swaps[i])
		swapped := o.clone(mirror)
		swapped.Do(given(), b)
		require.Equal(o.t, finding, o.judge(swapped, b))
		next.mirrors = append(next.mirrors, swapped)
	}
	return next, finding
}

// judge is what a step violates and puts to the test.
func (o *orbits) judge(w *sim.World, a sim.Action) (all []explore.Finding) {
	o.subject.Adopt(w)
	for _, f := range o.subject.JudgeStep(w, a) {
		all = append(all, explore.Finding{Property: f.Property, Verdict: f.Verdict, Label: f.Label, Exercised: f.Exercised})
	}
	return all
}

// mirror is the step of a mirror that corresponds to one of the world: all but the plans of the two
// nodes have the same numbers in both.
func (o *orbits) mirror(w *sim.World, a sim.Action, mirror *sim.World, swap [2]sim.NodeID) sim.Action {
	node, number := a.Node, func(_ *sim.World, a sim.Action) int { return int(a.Slot) }
	if i := slices.Index(swap[:], node); i >= 0 {
		node = swap[1-i]
		if a.Kind != sim.Deliver {
			number = func(w *sim.World, a sim.Action) int { return int(w.TimerOf(a)) }
		}
	}
	enabled := mirror.Enabled()
	i := slices.IndexFunc(enabled, func(b sim.Action) bool {
		return b.Kind == a.Kind && b.Node == node && number(mirror, b) == number(w, a)
	})
	require.GreaterOrEqual(o.t, i, 0, w.Name(a))
	return enabled[i]
}
