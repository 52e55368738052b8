package trace

import (
	"slices"

	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// States is what the nodes of one run hold after each of its steps.
type States struct {
	Trace *Trace
	// Parts are those that held something after some step, in the order of nodes, and
	// in that of what a node shows.
	Parts []Part

	// after has the entries of each part after each step. What a step leaves alone is
	// shared with the step before.
	after [][]entries
}

// Part is a named part of the state of one node.
type Part struct {
	Node sim.NodeID
	Name string
}

type entries []sim.Entry

// StatesOf replays a recording. The error is a *recording.Divergence or a
// *recording.TraceMismatch if it does not replay.
func StatesOf(sc *testbed.Scenario, rec *recording.Recording) (*States, error) {
	system, err := sc.Recorded(rec.Parameters)
	if err != nil {
		return nil, err
	}
	s := &States{}
	s.Trace = New(func(w *sim.World, _ int) { s.take(w) })
	runner := system.Runner()
	s.Trace.Follow(runner.World())
	_, err = recording.Replay(runner, rec)
	s.Trace.Close(runner.World())
	if err != nil {
		return nil, err
	}
	if len(s.Trace.Steps) > 0 {
		// The trace does not call after the last step.
		s.take(runner.World())
	}
	s.dropEmpty()
	return s, nil
}

// take keeps what the nodes hold now.
func (s *States) take(w *sim.World) {
	now, n := make([]entries, 0, len(s.Parts)), 0
	for i := 1; i < w.Nodes(); i++ {
		node, shows := w.Node(sim.NodeID(i)).(sim.Visible)
		if !shows {
			continue
		}
		node.Show(func(part string, list ...sim.Entry) {
			if n == len(s.Parts) {
				s.Parts = append(s.Parts, Part{sim.NodeID(i), part})
			}
			now = append(now, s.shared(n, list))
			n++
		})
	}
	s.after = append(s.after, now)
}

// shared is the part as the step before left it, if it is the same.
func (s *States) shared(part int, list entries) entries {
	if last := len(s.after) - 1; last >= 0 && slices.Equal(s.after[last][part], list) {
		return s.after[last][part]
	}
	return slices.Clone(list)
}

// dropEmpty leaves out the parts that never held anything.
func (s *States) dropEmpty() {
	var used []int
	for part := range s.Parts {
		if slices.ContainsFunc(s.after, func(now []entries) bool { return len(now[part]) > 0 }) {
			used = append(used, part)
		}
	}
	pick := func(now []entries) []entries {
		var kept []entries
		for _, part := range used {
			kept = append(kept, now[part])
		}
		return kept
	}
	for i := range s.after {
		s.after[i] = pick(s.after[i])
	}
	var parts []Part
	for _, part := range used {
		parts = append(parts, s.Parts[part])
	}
	s.Parts = parts
}

// After are the entries of a part of Parts after a step, both counted from 0.
func (s *States) After(step, part int) []sim.Entry { return s.after[step][part] }

// Changed reports whether a part is another one after a step than after an earlier one;
// -1 is the start of the run, of which nothing is known.
func (s *States) Changed(before, step, part int) bool {
	return before >= 0 && !slices.Equal(s.after[before][part], s.after[step][part])
}

// New reports whether a part did not have the entry after an earlier step.
func (s *States) New(before, part int, e sim.Entry) bool {
	return before >= 0 && !slices.Contains(s.after[before][part], e)
}
