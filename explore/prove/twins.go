package prove

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
)

// twins are states that were found twice: a search goes on once from states with one key, which is made of what nodes
// say of themselves (sim.Fingerprinter). For a sample of them the same steps are taken out of both, and what they lead
// to is compared.
type twins struct {
	// states are the numbers of the states of the sample. A key belongs to it if its bits of mask are 0.
	states map[key]uint32
	mask   uint64
	// worker takes the steps. What it learns is its own, since a step that was learned covers no coverage point again.
	worker   *worker
	frontier frontier
	// pairs are the nodes that were compared, by the numbers that the worker has for them.
	pairs    map[string]struct{}
	compared int
}

func (t *twins) begin(subject Subject, s *search) (err error) {
	t.states = map[key]uint32{}
	if t.worker, err = newWorker(subject, s); err != nil {
		return err
	}
	t.worker.frontier = &t.frontier
	return t.learnAnew()
}

func (t *twins) learnAnew() error {
	l, err := learn(t.worker)
	if err != nil {
		return err
	}
	t.pairs = map[string]struct{}{}
	return t.worker.use(l)
}

const (
	// twinSteps is how many steps are taken out of both at most: as long as a node differs.
	twinSteps = 12
	// firstTwins are compared in any search, and one more after so many transitions each. Where there are more, mask
	// has one bit more.
	firstTwins       = 64
	transitionsATwin = 1 << 15
)

func (t *twins) has(k key) bool { return uint64(k)>>1&t.mask == 0 }

// twin is a step to a state that was found before.
type twin struct {
	key    key
	parent uint32
	step   step
}

// meet notes a step to a state that was found before.
func (c *chunk) meet(all *twins, t twin) {
	if all.has(t.key) {
		c.twins = append(c.twins, t)
	}
}

// compareTwins takes in the steps of a chunk to states that were found before. The error names the node that does
// otherwise.
func (s *search) compareTwins(found []twin) error {
	for _, t := range found {
		state, known := s.twins.states[t.key]
		switch {
		case !known || !s.twins.has(t.key):
		case s.twins.compared >= firstTwins+s.Transitions/transitionsATwin:
			s.twins.mask = s.twins.mask<<1 | 1
		default:
			if s.twins.worker.learned.isFull(maxNodes, s.share(shareOfTwins)) {
				if err := s.twins.learnAnew(); err != nil {
					return err
				}
			}
			if err := s.twins.worker.compareTwins(&s.twins, state, t); err != nil {
				return err
			}
		}
	}
	return nil
}

func (w *worker) compareTwins(all *twins, state uint32, t twin) error {
	found, err := w.goTo(state)
	if err != nil {
		return err
	}
	a := found.copied(state)
	if found, err = w.goTo(t.parent); err != nil {
		return err
	}
	w.enter(found)
	var action sim.Action
	if !w.isBeforeStart() {
		action = w.enabled()[t.step.action()]
	}
	next := w.take(action, t.step.chooser(w.bounds.Answers))
	b := next.copied(state)
	_, id := w.apart(&a, &b)
	if _, again := all.pairs[id]; again || id == "" {
		return nil
	}
	all.pairs[id] = struct{}{}
	all.compared++
	for range twinSteps {
		from, to := w.outcomes(&a), w.outcomes(&b)
		if !slices.EqualFunc(from, to, outcome.equal) {
			return w.otherwise(&a, &b, from, to)
		}
		more := false
		for i := 0; i < len(from) && !more; i++ {
			if _, id := w.apart(&from[i].place, &to[i].place); id != "" {
				a, b, more = from[i].place, to[i].place, true
			}
		}
		if !more {
			return nil
		}
	}
	return nil
}

// copied is the place of a state, with memory of its own.
func (p *place) copied(state uint32) place {
	c := *p
	c.parts, c.state = slices.Clone(p.parts), state
	return c
}

// apart are the nodes that are not equal as a whole in two states, and what they are there.
func (w *worker) apart(a, b *place) (nodes []sim.NodeID, id string) {
	if a.parts == nil {
		return nil, ""
	}
	for n := sim.NodeID(1); int(n) < w.first.Nodes(); n++ {
		if x, y := w.learned.parts.Object(a.parts, n), w.learned.parts.Object(b.parts, n); x != y {
			nodes, id = append(nodes, n), id+fmt.Sprintln(n, x, y)
		}
	}
	return nodes, id
}

// outcome is where a step leads. It has no place behind a panic.
type outcome struct {
	action   sim.Action
	key      key
	failures string
	place    place
}

func (o outcome) compare(x outcome) int {
	return cmp.Or(cmp.Compare(o.key, x.key), strings.Compare(o.failures, x.failures))
}

func (o outcome) equal(x outcome) bool { return o.compare(x) == 0 }

// outcomes are those of all steps out of a state, in an order that does not depend on numbers of connections.
func (w *worker) outcomes(from *place) (all []outcome) {
	w.enter(from)
	if w.outlook(from.view, w.world).over {
		return nil
	}
	for _, a := range slices.Clone(w.enabled()) {
		if t, counted := w.counted(a); counted && w.learned.fired.sets.At(from.fired).of(t) >= w.bounds.TimerBound {
			continue
		}
		given := explore.Combination{Most: w.bounds.Answers}
		for more := true; more; more = given.Next() {
			o := outcome{action: a}
			if next, panicked := w.tryStep(a, &given); panicked != nil {
				o.failures = panicked.Failure().String()
			} else {
				o.place = next.copied(from.state)
				o.key = w.key(&next, w.worldThere)
				o.failures = fmt.Sprint(w.judge(next.view, a, w.worldThere).failures)
			}
			all = append(all, o)
		}
	}
	slices.SortFunc(all, outcome.compare)
	return all
}

// otherwise is the error of two states with one key from which the same steps lead to others.
func (w *worker) otherwise(a, b *place, from, to []outcome) error {
	first := func(at *place, of, others []outcome) string {
		i := slices.IndexFunc(of, func(o outcome) bool { return !slices.ContainsFunc(others, o.equal) })
		if i < 0 {
			return ""
		}
		w.enter(at)
		x := of[i].action
		if m := w.world().Pending(x); m != nil {
			return fmt.Sprintf("%s receives %s", w.first.NodeName(x.Node), m.Payload.Label())
		}
		return fmt.Sprintf("%s does %s", w.first.NodeName(x.Node), w.world().Activity(x))
	}
	step := cmp.Or(first(a, from, to), first(b, to, from), "the run ends in one of them")
	var names []string
	nodes, _ := w.apart(a, b)
	for _, n := range nodes {
		names = append(names, fmt.Sprintf("%s (%T)", w.first.NodeName(n), w.first.Node(n)))
	}
	return fmt.Errorf("two states that have one fingerprint go on differently (%s): the Fingerprint of %s leaves out what decides that", step, strings.Join(names, " or of "))
}
