package report

import (
	"fmt"
	"strconv"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
)

// Story is a recorded run that fails, told: the few steps that matter, what was
// wrong, and which single behaviour, flipped, makes it go away.
type Story struct {
	// Title says what is violated where, in one line.
	Title   string
	Failure explore.Failure
	Lines   []Line
	// Why is who read what, and what it should have been.
	Why string
	// Flip is the single behaviour that decides, in a sentence or two.
	Flip string
	// Assumed is what the scenario puts aside.
	Assumed []string
	// Steps is the length of the run, Timed whether its lines have a clock.
	Steps int
	Timed bool
}

// Line is one thing that happened.
type Line struct {
	// Step counts from 1.
	Step int
	At   sim.Time
	// Who is the node, or "fault".
	Who, Text string
}

// Tell replays a recording and tells how it fails in the way f. The recording
// should be a small one: what happens in it is told. The error is a
// *explore.Divergence or a *explore.TraceMismatch if it does not replay.
func Tell(sc *scenarios.Scenario, rec *explore.Recording, f explore.Failure) (*Story, error) {
	r, err := replayTraced(sc, rec, f)
	if err != nil {
		return nil, err
	}
	p := r.system.Params()
	s := &Story{
		Title:   fmt.Sprintf("%s on etcd %s with the cache design %s: %s is violated", sc.Name, p.Etcd, p.Cache, f.Property),
		Failure: f,
		Lines:   condense(r),
		Steps:   len(r.trace.steps),
		Timed:   r.trace.timed,
		Why:     r.why(),
	}
	s.Assumed = assumptions(&p)
	s.Flip = flip(sc, p, rec, f)
	return s, nil
}

// tracedRun is a replayed run with everything that is known of it.
type tracedRun struct {
	system  *scenarios.System
	trace   *trace
	finding explore.Finding
	concern concern
}

func replayTraced(sc *scenarios.Scenario, rec *explore.Recording, f explore.Failure) (*tracedRun, error) {
	system, err := System(sc, rec)
	if err != nil {
		return nil, err
	}
	r := &tracedRun{system: system}
	r.trace = newTrace(func(w *sim.World) bool {
		result := explore.Result{Findings: system.Judge(w)}
		return result.Find(f) != nil
	})
	runner := explore.NewRunner(system, system.Params().Steps)
	runner.Observe(r.trace)
	result, err := explore.Replay(runner, rec)
	if err != nil {
		return nil, err
	}
	finding := result.Find(f)
	if finding == nil {
		return nil, fmt.Errorf("the recorded run does not fail in the way %s", f)
	}
	r.finding = *finding
	if r.trace.shows < 0 {
		// No step came after it.
		r.trace.shows = len(r.trace.steps) - 1
	}
	r.trace.clients = map[sim.NodeID]bool{}
	for _, name := range system.History().Clients {
		if n, ok := r.trace.node(name); ok {
			r.trace.clients[n] = true
		}
	}
	r.concern = concernOf(r.trace, system.History(), finding.Why)
	return r, nil
}

// Strings is the story as plain lines, for files.
func (s *Story) Strings() []string {
	var lines []string
	for _, l := range s.Lines {
		lines = append(lines, s.when(l)+" "+l.Who+" "+l.Text)
	}
	for _, text := range []string{s.Why, s.Flip} {
		if text != "" {
			lines = append(lines, text)
		}
	}
	return lines
}

// when is the clock of a timed run, and the number of the step in others.
func (s *Story) when(l Line) string {
	if s.Timed {
		return l.At.Sub(0).String()
	}
	return strconv.Itoa(l.Step)
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
