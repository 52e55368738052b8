package schedules_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/sim"
)

// brute takes every schedule to its end, and finds out by itself of which class each is.
type brute struct {
	t       *testing.T
	subject prove.Subject
	firings int
	ended   func(*sim.World)

	schedules int
	classes   map[string]bool
	path      []taken
	// most ends the search.
	most int
}

// taken is a step of the present schedule.
type taken struct {
	action sim.Action
	label  string
	cells  sim.Footprint
}

type firstAnswer struct{}

func (firstAnswer) Pick(*sim.World, []sim.Action) int  { panic("not picked") }
func (firstAnswer) Choose(*sim.World, int, string) int { return 0 }

func (b *brute) run() {
	w := sim.NewWorld(b.subject.Options())
	explore.Begin(b.subject, w, firstAnswer{})
	w.KeepNumbers()
	b.classes = map[string]bool{}
	b.explore(w)
}

func (b *brute) explore(w *sim.World) {
	if b.schedules > b.most {
		return
	}
	ended := true
	for _, a := range slices.Clone(w.Enabled()) {
		if a.Kind == sim.Fire && b.subject.Endless(a.Node) && b.fired(a.Slot) >= b.firings {
			continue
		}
		ended = false
		var given explore.Combination
		for more := true; more; more = given.Next() {
			next, err := w.Clone()
			require.NoError(b.t, err)
			step := taken{action: a, label: fmt.Sprint(a.Kind, a.Node, w.Activity(a))}
			if m := w.Pending(a); m != nil {
				step.label += fmt.Sprint(m.From, m.Payload.Label())
			}
			next.RecordCells(&step.cells)
			next.Do(&given, a)
			next.RecordCells(nil)
			step.label += fmt.Sprint(given.Given())
			b.path = append(b.path, step)
			b.explore(next)
			b.path = b.path[:len(b.path)-1]
		}
	}
	if ended {
		b.schedules++
		b.classes[b.class()] = true
		b.ended(w)
	}
}

func (b *brute) fired(slot int32) int {
	n := 0
	for _, x := range b.path {
		if x.action.Slot == slot {
			n++
		}
	}
	return n
}

// class is the partial order of the present schedule: each step with the steps that come before
// it in every schedule of the class, however they were numbered.
func (b *brute) class() string {
	names := make([]string, len(b.path))
	before := make([][]bool, len(b.path))
	for i := range b.path {
		before[i] = make([]bool, len(b.path))
		for j := range i {
			if !b.depends(&b.path[j], &b.path[i]) {
				continue
			}
			before[i][j] = true
			for k := range j {
				before[i][k] = before[i][k] || before[j][k]
			}
		}
		var list []string
		for j := range i {
			if before[i][j] {
				list = append(list, names[j])
			}
		}
		slices.Sort(list)
		names[i] = fmt.Sprintf("%s %x", b.path[i].label, sim.NewDigest.Text(fmt.Sprint(list)).Sum())
	}
	slices.Sort(names)
	return fmt.Sprint(names)
}

func (b *brute) depends(x, y *taken) bool {
	says := func(t *taken) bool {
		return slices.ContainsFunc(t.cells.Accesses, func(a sim.Access) bool { return a.Cell.Node == t.action.Node })
	}
	return x.action.Slot == y.action.Slot || x.cells.Conflicts(&y.cells) ||
		x.action.Node == y.action.Node && (!says(x) || !says(y))
}
