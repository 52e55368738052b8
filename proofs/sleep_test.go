package proofs_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/answers"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// Why sleep sets by cells alone lose states (package prove): the cells are not what is missing. A step behind which the run
// is over keeps all others from coming, and where what was so when a client asked is remembered, steps of nodes on which the
// past depends lead to another past in another order. With both as conflicts no state is lost.
func TestWhatSleepSetsLose(t *testing.T) {
	for _, test := range []struct {
		scenario *testbed.Scenario
		bounds
		// ends, past: which of both is needed.
		ends, past bool
	}{
		{scenarios.Issue15220, bounds{one, 1}, true, false},
		{scenarios.SecondWatch, bounds{"writes=1", 0}, false, true},
	} {
		p := test.scenario.Params
		require.NoError(t, setAll(&p, test.set))
		s, _, err := test.scenario.Provable(p)
		require.NoError(t, err)
		search := func(sleep, ends, past bool) int {
			z := sleeping{t: t, subject: s, firings: test.firings, sleep: sleep, ends: ends, past: past, seen: map[sim.Digest]*dozing{}}
			return z.search()
		}
		all := search(false, false, false)
		byCells, withEnds, withPast := search(true, false, false), search(true, true, false), search(true, false, true)
		t.Logf("%s %s: %d states, %d by cells alone, %d with ends, %d with the past", test.scenario.Name, test.set, all, byCells, withEnds, withPast)
		require.Less(t, byCells, all)
		require.Equal(t, !test.past, withEnds == all)
		require.Equal(t, !test.ends, withPast == all)
		require.Equal(t, all, search(true, true, true))
	}
}

// sleeping is a search with sleep sets. A state that is met again with fewer steps asleep is expanded again (Godefroid).
type sleeping struct {
	t       *testing.T
	subject *testbed.System
	firings int
	// sleep: steps do. ends, past: what conflicts besides cells.
	sleep, ends, past bool

	seen  map[sim.Digest]*dozing
	queue []*dozing
}

// dozing is a state with the steps that need not be taken there.
type dozing struct {
	met
	memory   any
	asleep   map[string]*taken
	expanded bool
}

func (z *sleeping) search() (states int) {
	first := sim.NewWorld(z.subject.Options())
	explore.Begin(z.subject, first, &answers.Combination{})
	start := &dozing{met: met{world: first}}
	if z.subject.Remembers() {
		start.memory = z.subject.Remembered(first)
	}
	for z.meet(start); len(z.queue) > 0; {
		next := z.queue[0]
		z.queue = z.queue[1:]
		z.expand(next)
	}
	return len(z.seen)
}

func (z *sleeping) adopt(w *sim.World, memory any) {
	z.subject.Adopt(w)
	if z.subject.Remembers() {
		z.subject.Recall(memory)
	}
}

func (z *sleeping) meet(s *dozing) {
	behaviour, err := s.world.Behaviour()
	require.NoError(z.t, err)
	z.adopt(s.world, s.memory)
	key := z.subject.Past(behaviour)
	for _, id := range slices.SortedFunc(maps.Keys(s.fired), func(a, b timer) int {
		return (int(a.node)-int(b.node))<<16 + int(a.timer) - int(b.timer)
	}) {
		key = key.Int(int64(id.node)).Int(int64(id.timer)).Int(int64(s.fired[id]))
	}
	before, met := z.seen[key]
	if !met {
		z.seen[key], z.queue = s, append(z.queue, s)
		return
	}
	woken := len(before.asleep)
	maps.DeleteFunc(before.asleep, func(name string, _ *taken) bool { return s.asleep[name] == nil })
	if len(before.asleep) < woken && before.expanded {
		before.expanded, z.queue = false, append(z.queue, before)
	}
}

func (z *sleeping) expand(s *dozing) {
	s.expanded = true
	if z.adopt(s.world, s.memory); z.subject.Over(s.world) {
		return
	}
	asleep := maps.Clone(s.asleep)
	for _, a := range slices.Clone(s.world.Enabled()) {
		fired := s.fired
		if a.Kind == sim.Fire && z.subject.Endless(a.Node) {
			id := timer{a.Node, s.world.TimerOf(a)}
			if fired[id] >= z.firings {
				continue
			}
			fired = maps.Clone(fired)
			if fired == nil {
				fired = map[timer]int{}
			}
			fired[id]++
		}
		done := map[string]*taken{}
		var all answers.Combination
		for more := true; more; more = all.Next() {
			step, next := z.take(s, a, &all)
			name := fmt.Sprint(a.Slot, all.Given())
			if s.asleep[name] != nil {
				continue
			}
			done[name] = step
			if next == nil {
				continue
			}
			next.fired, next.asleep = fired, map[string]*taken{}
			for other, x := range asleep {
				if z.sleep && !x.conflicts(step) {
					next.asleep[other] = x
				}
			}
			z.meet(next)
		}
		if asleep == nil {
			asleep = map[string]*taken{}
		}
		maps.Copy(asleep, done)
	}
}

func (t *taken) conflicts(other *taken) bool {
	return t.cells.Conflicts(&other.cells) || t.action.Node == other.action.Node && (t.vague || other.vague)
}

// cellPast stands for what the past depends on.
var cellPast = sim.NewCell("proofs test: past")

// take takes a step. next is nil if it violates something.
func (z *sleeping) take(s *dozing, a sim.Action, c sim.Chooser) (step *taken, next *dozing) {
	step, next = &taken{action: a}, &dozing{met: met{world: &sim.World{}}, memory: s.memory}
	require.NoError(z.t, s.world.Fork(next.world))
	next.world.RecordCells(&step.cells)
	next.world.Do(c, a)
	next.world.RecordCells(nil)
	step.vague = !slices.ContainsFunc(step.cells.Accesses, func(x sim.Access) bool { return x.Cell.Node == a.Node })
	if z.past && z.subject.PastOf(a.Node) {
		step.cells.Accesses = append(step.cells.Accesses, sim.Access{Cell: sim.Cell{Kind: cellPast}, Write: true})
	}
	if z.subject.Remembers() {
		z.subject.Adopt(next.world)
		next.memory = z.subject.Remember(s.memory, next.world, a)
	}
	z.adopt(next.world, next.memory)
	violated := slices.ContainsFunc(z.subject.JudgeStep(next.world, a), func(f explore.Finding) bool { return f.Verdict == model.Violated })
	z.adopt(next.world, next.memory)
	step.cells.All = step.cells.All || z.ends && (violated || z.subject.Over(next.world))
	if violated {
		return step, nil
	}
	return step, next
}
