// Package story (unstable) tells how a recorded run fails: the few steps that matter, and what was
// wrong.
//
// A story is made by replaying the recording strictly, with a trace as the
// observer.
//
//	story     replays, and finds the step after which the violation first shows
//	about     what the violation is about: operations, a revision, a key
//	focus     what a slice (trace.Slicer) has to follow, given that
//	condense  a line for each note of the slice, the ones that matter little left out
//	why       which client read what, and what the answer should have been
//	happening what steps have in common, and where a node stands between the clients and etcd
//
// What the steps say is taken as values (sim.Note, sim.Subject, explore.Concern,
// linearizability.Explanation): the package never reads their text, so a sentence
// can change without it.
//
// The package must never write to a terminal or a page: package report does.
package story

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// Story is a recorded run that fails, told: the few steps that matter, and what
// was wrong.
type Story struct {
	// Title says in one line which property is violated, and where.
	Title   string
	Failure explore.Failure
	Lines   []Line
	// Why says which client read what, and what the answer should have been.
	Why string
	// Masked is what masks a race of etcd, Settings what is set on top of version and design.
	Masked, Settings []string
	// Run is the run that is told.
	Run *Run
}

// Line is one thing that happened.
type Line struct {
	// Step counts from 1.
	Step int
	At   sim.Time
	// Node is the name of the node, or "fault".
	Node, Text string
	// Says is what the text says, as values; it is empty for a fault.
	Says []sim.Note
}

// Run is a replayed run with what the violation is about.
type Run struct {
	Trace   *trace.Trace
	History *model.History
	// Clients are the nodes whose operations make the history.
	Clients map[sim.NodeID]bool
	// Tiers are those of the nodes that are not in the ClientTier.
	Tiers map[sim.NodeID]Tier
	// Wrong is the step at which the wrong answer arrived, Missed the one that
	// made what the answer does not show; -1 is none.
	Wrong, Missed int

	system  *testbed.System
	finding explore.Finding
	// late: something does not come in time, or not at all.
	late bool
	// shows is the first step after which the run, cut off there, is violated.
	shows int
	about about
}

// maxJudged is how many steps a run may have to be judged after each: in longer
// runs the violation is taken to show at the end.
const maxJudged = 2_000

// etcdOf is the etcd of a run in words.
func etcdOf(p *testbed.Params) string {
	if p.Program != "" {
		return p.Program
	}
	return "etcd " + strings.Join(p.MemberVersions(), " and ")
}

// Tell replays a recording and tells how it fails in the way f. The recording
// should be a small one: what happens in it is told. The error is a
// *recording.Divergence or a *recording.TraceMismatch if it does not replay.
func Tell(sc *testbed.Scenario, rec *recording.Recording, f explore.Failure) (*Story, error) {
	r, err := replay(sc, rec, f)
	if err != nil {
		return nil, err
	}
	p := r.system.Params()
	return &Story{
		Title:   fmt.Sprintf("%s on %s with the cache design %s: %s is violated", sc.Name, etcdOf(&p), p.Cache, f.Property),
		Failure: f,
		Lines:   condense(r),
		Why:     r.why(),
		Masked:  Masked(&p), Settings: Settings(&p),
		Run: r,
	}, nil
}

func replay(sc *testbed.Scenario, rec *recording.Recording, f explore.Failure) (*Run, error) {
	system, err := sc.Recorded(rec.Parameters)
	if err != nil {
		return nil, err
	}
	r := &Run{system: system, shows: -1}
	r.Trace = trace.New(func(w *sim.World, step int) {
		if r.shows < 0 && step < maxJudged && r.violated(w, f) {
			r.shows = step
		}
	})
	runner := system.Runner()
	r.Trace.Follow(runner.World())
	result, err := recording.Replay(runner, rec)
	r.Trace.Close(runner.World())
	if err != nil {
		return nil, err
	}
	finding := result.Find(f)
	if finding == nil {
		return nil, fmt.Errorf("the recorded run does not fail in the way %s", f)
	}
	r.finding, r.late = *finding, testbed.IsLiveness(f.Property)
	if r.shows < 0 {
		// It shows after the last step, or the run is too long to look.
		r.shows = len(r.Trace.Steps) - 1
	}
	r.History = system.History()
	r.Tiers, r.Clients = TiersOf(system.Topology()), map[sim.NodeID]bool{}
	for _, name := range r.History.Clients {
		if n, ok := r.Trace.Node(name); ok {
			r.Clients[n] = true
		}
	}
	r.about = r.aboutFinding()
	r.Wrong, r.Missed = r.about.wrong, r.about.missed
	return r, nil
}

// Revision is that of the change which is not shown, 0 if there is none.
func (r *Run) Revision() int64 { return r.about.revision }

// Operation finds the steps at which a client began an operation of the history and
// heard of its outcome; -1 is never.
func (r *Run) Operation(op int) (call, answer int) { return r.operation(op) }

// Place says when a step was.
func (r *Run) Place(step int) string { return r.place(step) }

// violated reports whether the run, cut off after its last step, fails in the way
// f. A step without a note changes no verdict.
func (r *Run) violated(w *sim.World, f explore.Failure) bool {
	if len(r.Trace.Steps[len(r.Trace.Steps)-1].Notes) == 0 {
		return false
	}
	result := explore.Result{Findings: r.system.Judge(w)}
	return result.Find(f) != nil
}

// Strings is the story as plain lines, for files: its steps, and why it is a violation.
func (s *Story) Strings() []string {
	lines := s.Steps()
	if s.Why != "" {
		lines = append(lines, s.Why)
	}
	return lines
}

// Mention tells a step of a server, counted from 1, of which the story has no line. A client's step says only what it
// wants next.
func (s *Story) Mention(step int) {
	i, told := slices.BinarySearchFunc(s.Lines, step, func(l Line, step int) int { return l.Step - step })
	if !told && s.Run.Tiers[s.Run.Trace.Steps[step-1].Node] != ClientTier {
		s.Lines = slices.Insert(s.Lines, i, s.Run.plain(step-1))
	}
}

// Called names a step, counted from 1; 0 is the start of the run.
func (s *Story) Called(step int) string {
	switch {
	case step == 0:
		return "the start"
	case s.Run.Trace.Timed:
		return fmt.Sprintf("step %d (%s)", step, s.Run.Place(step-1))
	}
	return fmt.Sprintf("step %d", step)
}

// plain is the line of a step in which no node says anything.
func (r *Run) plain(step int) Line {
	s := &r.Trace.Steps[step]
	l := Line{Step: step + 1, At: s.At, Node: "fault", Text: s.Activity}
	if s.Node > 0 {
		l.Node = r.Trace.Nodes[s.Node]
	}
	switch {
	case s.Delivered >= 0:
		m := &r.Trace.Messages[s.Delivered]
		l.Text = "receives from " + r.Trace.Nodes[m.From] + ": " + m.Payload.Label()
	case s.Kind == sim.Fire:
		l.Text = fmt.Sprintf("the timer %q fires", s.Activity)
	case s.Kind == sim.Run:
		l.Text = fmt.Sprintf("runs %q", s.Activity)
	}
	return l
}

// Steps are the steps of the story as plain lines.
func (s *Story) Steps() []string {
	var lines []string
	for _, l := range s.Lines {
		lines = append(lines, s.When(l)+" "+l.Node+" "+l.Text)
	}
	return lines
}

// When is the clock of a timed run, and the number of the step in others.
func (s *Story) When(l Line) string {
	if s.Run.Trace.Timed {
		return l.At.Sub(0).String()
	}
	return strconv.Itoa(l.Step)
}
