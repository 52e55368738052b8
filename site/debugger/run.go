// Package debugger (unstable) opens a run by its link and goes through it step by step: what happened, what the nodes
// held, how the claims stood, what else could have happened, and what becomes of the run then. It has one operation for
// each question, with JSON on both sides (Call), and no state but the runs that it opened last: a page and an editor ask
// the same.
package debugger

import (
	"cmp"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/diagnosis/story"
	"github.com/watchbed/watchbed/diagnosis/trace"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// run is an opened run.
type run struct {
	link     string
	scenario *testbed.Scenario
	params   testbed.Params
	rec      *recording.Recording
	// failure is the violation that the run is about, told its story; both are empty if nothing is violated.
	failure explore.Failure
	told    *diagnosis.Diagnosis
	held    *trace.States
	tiers   map[sim.NodeID]story.Tier
	// choices[i] is how many of the recorded choices are made before step i and in it, reached[i] the situations that come
	// about in step i for the first time.
	choices []int
	reached map[int][]string
}

// newRun opens a recorded run. Failure is the violation that it is about; empty, it is that for which the recording was
// made.
func newRun(rec *recording.Recording, failure explore.Failure) (*run, error) {
	sc, p, err := testbed.RecordedScenario(rec.Scenario, rec.Parameters)
	if err != nil {
		return nil, err
	}
	if rec.Steps() > diagnosis.MaxLinkSteps {
		return nil, diagnosis.ErrTooLong
	}
	r := &run{scenario: sc, params: p, rec: rec, failure: failure}
	if failure == (explore.Failure{}) {
		r.failure, _ = rec.MadeFor()
	}
	if r.failure != (explore.Failure{}) {
		if r.told, err = diagnosis.Told(sc, rec, r.failure); err != nil {
			return nil, err
		}
	}
	if r.held, err = trace.StatesOf(sc, rec); err != nil {
		return nil, err
	}
	system, err := sc.New(p)
	if err != nil {
		return nil, err
	}
	counter := &counting{steps: make([]int, len(r.held.Trace.Steps)+1), unseen: sim.CoveragePoints(), reached: map[int][]string{}}
	if counter.Branch, err = recording.NewBranch(rec, len(rec.Choices), recording.CutOff{}); err != nil {
		return nil, err
	}
	runner := system.Runner()
	runner.Run(counter)
	counter.look(runner.World())
	r.reached = counter.reached
	made := 0
	for _, n := range counter.steps {
		made += n
		r.choices = append(r.choices, made)
	}
	r.tiers = story.TiersOf(system.Topology())
	r.link, err = diagnosis.LinkTo(rec, r.failure)
	return r, err
}

// counting is a chooser that counts the recorded choices of each step; those of the start are at 0. It sees which
// situations come about.
type counting struct {
	*recording.Branch
	steps   []int
	unseen  []sim.CoveragePoint
	reached map[int][]string
}

// look looks behind a step.
func (c *counting) look(w *sim.World) {
	c.unseen = slices.DeleteFunc(c.unseen, func(p sim.CoveragePoint) bool {
		seen := w.Count(p) > 0
		if at := max(0, w.Steps()-1); seen {
			c.reached[at] = append(c.reached[at], p.String())
		}
		return seen
	})
}

func (c *counting) Pick(w *sim.World, enabled []sim.Action) int {
	c.look(w)
	i := c.Branch.Pick(w, enabled)
	if i >= 0 {
		c.steps[w.Steps()+1]++
	}
	return i
}

func (c *counting) Choose(w *sim.World, n int, what string) int {
	c.steps[w.Steps()]++
	return c.Branch.Choose(w, n, what)
}

// View is a run as a page draws it. Steps, lanes, messages and parts are named by their places, from 0 on; -1 is none.
type View struct {
	Story
	Summary string `json:"summary"`
	Hash    string `json:"hash"`
	Timed   bool   `json:"timed"`
	// Wrong is the step at which the wrong answer arrived, Missed the one that made what the answer does not show.
	Wrong    int       `json:"wrong"`
	Missed   int       `json:"missed"`
	Lanes    []Lane    `json:"lanes"`
	Steps    []Step    `json:"steps"`
	Messages []Message `json:"messages"`
	Parts    []Part    `json:"parts"`
}

// Verdict is how a claim stands. Label says in few words how it is violated.
type Verdict struct {
	Property string `json:"property"`
	Verdict  string `json:"verdict"`
	Label    string `json:"label,omitempty"`
}

// Line is a sentence of the story.
type Line struct {
	Step int    `json:"step"`
	Node string `json:"node"`
	Text string `json:"text"`
}

// Lane is a node that acts in the run, with its tier: client, cache, client library or etcd. Loops are those of the node
// in which a step runs, called as upstream's functions; empty is the node itself.
type Lane struct {
	Name  string   `json:"name"`
	Tier  string   `json:"tier"`
	Loops []string `json:"loops"`
}

// Step is one step, and Text says what it is. Loop is that of its lane in which it runs, Kind is deliver, fire, run or
// inject, Activity the task, timer or fault; From is the message that is delivered, Causes the steps that it depends on
// directly, and Woke the one of these that ran in another loop of the node and gave this one something to do. Held are the
// parts of the state that it changed. Strikes are the lanes of the nodes that a fault strikes, Reached the situations
// (coverage points) that come about for the first time.
type Step struct {
	When     string   `json:"when"`
	Text     string   `json:"text"`
	Lane     int      `json:"lane"`
	Loop     int      `json:"loop"`
	Kind     string   `json:"kind"`
	Activity string   `json:"activity"`
	From     int      `json:"from"`
	Causes   []int    `json:"causes"`
	Woke     int      `json:"woke"`
	Strikes  []int    `json:"strikes,omitempty"`
	Reached  []string `json:"reached,omitempty"`
	Says     []Said   `json:"says,omitempty"`
	Held     []Held   `json:"held,omitempty"`
}

// Said is what a node says of a step.
type Said struct {
	Lane int    `json:"lane"`
	Text string `json:"text"`
}

// Message is a message from the step that sent it to the one that took it.
type Message struct {
	From      int    `json:"from"`
	To        int    `json:"to"`
	Label     string `json:"label"`
	Sent      int    `json:"sent"`
	Delivered int    `json:"delivered"`
}

// Part is a part of the state of a node.
type Part struct {
	Lane int    `json:"lane"`
	Name string `json:"name"`
}

// Held is what a part holds from a step on.
type Held struct {
	Part    int      `json:"part"`
	Entries []string `json:"entries"`
}

func (r *run) view() *View {
	t := r.held.Trace
	v := &View{
		Story: *r.story(), Summary: r.scenario.Summary, Hash: r.rec.TraceHash.String(), Timed: t.Timed,
		Wrong: -1, Missed: -1, Messages: []Message{}, Parts: []Part{},
	}
	if r.told != nil {
		v.Wrong, v.Missed = r.told.Story.Run.Wrong, r.told.Story.Run.Missed
	}
	lanes := r.lanes(v)
	for _, m := range t.Messages {
		v.Messages = append(v.Messages, Message{lanes[m.From], lanes[m.To], m.Payload.Label(), m.Sent, m.Delivered})
	}
	for _, p := range r.held.Parts {
		v.Parts = append(v.Parts, Part{lanes[p.Node], p.Name})
	}
	slicer, loops := trace.NewSlicer(t, trace.Focus{Spontaneous: r.clients()}), loopsOf(t, r.tiers)
	for i := range t.Steps {
		s := &t.Steps[i]
		step := Step{
			When: s.At.Sub(0).String(), Text: r.sentence(i), Lane: lanes[s.Node], Kind: s.Kind.String(), Activity: s.Activity,
			From: s.Delivered, Causes: slicer.Direct(i), Woke: -1, Strikes: r.strikes(i, lanes), Reached: r.reached[i],
		}
		if step.Causes == nil {
			step.Causes = []int{}
		}
		if step.Lane >= 0 {
			lane := &v.Lanes[step.Lane]
			if step.Loop = slices.Index(lane.Loops, loops[i]); step.Loop < 0 {
				step.Loop, lane.Loops = len(lane.Loops), append(lane.Loops, loops[i])
			}
		}
		for _, c := range step.Causes {
			if s.Kind != sim.Deliver && t.Steps[c].Node == s.Node && loops[c] != loops[i] {
				step.Woke = max(step.Woke, c)
			}
		}
		for _, n := range s.Notes {
			step.Says = append(step.Says, Said{lanes[n.Node], n.Text})
		}
		for part := range r.held.Parts {
			if i > 0 && !r.held.Changed(i-1, i, part) {
				continue
			}
			held := Held{part, []string{}}
			for _, e := range r.held.After(i, part) {
				held.Entries = append(held.Entries, e.Text)
			}
			if i > 0 || len(held.Entries) > 0 {
				step.Held = append(step.Held, held)
			}
		}
		v.Steps = append(v.Steps, step)
	}
	return v
}

// strikes are the lanes of the nodes that the fault of a step strikes: those that act or whose state it writes and, if there
// are none, those to which it sends something or ends a connection.
func (r *run) strikes(step int, lanes []int) (struck []int) {
	t := r.held.Trace
	s := &t.Steps[step]
	if s.Kind != sim.Inject {
		return nil
	}
	strike := func(n sim.NodeID) {
		if n != 0 && lanes[n] >= 0 && !slices.Contains(struck, lanes[n]) {
			struck = append(struck, lanes[n])
		}
	}
	for _, a := range s.Accesses {
		if a.Write {
			strike(a.Cell.Node)
		}
	}
	for _, n := range s.Notes {
		strike(n.Node)
	}
	acts := len(struck) > 0
	for _, m := range t.Messages {
		if m.Sent == step && !acts {
			strike(m.To)
		}
	}
	return struck
}

// sentence says what a step is: the story's words, or else what nodes say of it, or what it delivers, fires or runs.
func (r *run) sentence(i int) string {
	t := r.held.Trace
	s := &t.Steps[i]
	var said []string
	if r.told != nil && s.Kind != sim.Inject {
		for _, l := range r.told.Story.Lines {
			if l.Step == i+1 {
				said = append(said, l.Node+" "+l.Text)
			}
		}
	}
	if len(said) == 0 {
		for _, n := range s.Notes {
			said = append(said, t.Nodes[n.Node]+" "+n.Text)
		}
	}
	switch {
	case s.Kind == sim.Inject:
		said = append([]string{"fault: " + s.Activity}, said...)
	case len(said) > 0:
	case s.Delivered >= 0:
		said = append(said, "takes "+t.Messages[s.Delivered].Payload.Label())
	case s.Kind == sim.Fire:
		said = append(said, "timer: "+s.Activity)
	default:
		said = append(said, s.Activity)
	}
	return strings.Join(said, "; ")
}

// clients are the nodes that act when they want.
func (r *run) clients() map[sim.NodeID]bool {
	all := map[sim.NodeID]bool{}
	for n := 1; n < len(r.held.Trace.Nodes); n++ {
		all[sim.NodeID(n)] = r.tiers[sim.NodeID(n)] == story.ClientTier
	}
	return all
}

// lanes gives each node that does something a lane, as reads travel, and returns the lanes of all nodes.
func (r *run) lanes(v *View) []int {
	t := r.held.Trace
	lanes := slices.Repeat([]int{-1}, len(t.Nodes))
	active := make([]bool, len(t.Nodes))
	for i := range t.Steps {
		active[t.Steps[i].Node] = true
	}
	for _, m := range t.Messages {
		active[m.From], active[m.To] = true, true
	}
	for _, tier := range story.Tiers() {
		for n := 1; n < len(t.Nodes); n++ {
			if id := sim.NodeID(n); active[n] && r.tiers[id] == tier {
				lanes[n] = len(v.Lanes)
				v.Lanes = append(v.Lanes, Lane{t.Nodes[n], tier.String(), []string{}})
			}
		}
	}
	return lanes
}

func texts(settings []option.Setting) []string {
	all := []string{}
	for _, s := range settings {
		all = append(all, s.String())
	}
	return all
}

func verdicts(findings []recording.Finding) []Verdict {
	all := []Verdict{}
	for _, f := range findings {
		all = append(all, Verdict{f.Property, f.Verdict, f.Label})
	}
	// What is violated comes first.
	slices.SortStableFunc(all, func(a, b Verdict) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

func rank(v Verdict) int {
	if v.Verdict == model.Violated.String() {
		return 0
	}
	return 1
}
