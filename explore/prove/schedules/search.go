// Package schedules (unstable) searches every schedule of a subject within bounds, by one schedule
// of each class.
//
// Two schedules are of one class if the one becomes the other by swapping adjacent steps that
// do not conflict (sim.Footprint): they end in the same state with the same history. The search
// keeps no states. It goes along a schedule to its end, where the subject judges the whole
// history, and back from it. Where two steps of the schedule conflict and could have come the
// other way round, that is tried too: dynamic partial order reduction (Flanagan and Godefroid,
// POPL 2005) with source sets and sleep sets (Abdulla et al., POPL 2014).
//
//	Search   one schedule of each class
//	Result   what was covered
//	Path     the schedule that fails, as a chooser
//	Walk     single schedules, and of how many classes they are
//
// What it finds must be what package prove finds by a search over states, which shares nothing
// with it but the subject.
//
// A schedule goes on until nothing can happen, also when the subject says that the run is over:
// a step that ended the run would conflict with all others.
//
// The package imports explore, explore/prove, sim and model. It must never import
// what is simulated.
package schedules

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/prove"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
)

// Config says how far a search goes.
type Config struct {
	// TimerBound is how often each timer of a node may fire that fires again and again
	// (prove.Subject.Endless). It binds a timer to nothing else, so it makes no steps conflict.
	TimerBound int
	// For ends a search that has taken that time, 0 is no limit.
	For time.Duration
	// All goes on behind the first schedule that violates something.
	All bool
	// Ended is called with the world at the end of each schedule; nil is not.
	Ended func(*sim.World)
	// Progress is called from time to time; nil is not.
	Progress func(Progress)
}

// maxSteps is the length of a schedule from which on the search takes it for endless.
const maxSteps = 10_000

// limitsEvery is after how many steps the limits are looked at.
const limitsEvery = 256

// Search looks at one schedule of each class of a subject. properties are the names of what it
// judges, in its order. The error names what cannot be searched.
func Search(ctx context.Context, subject prove.Subject, properties []string, cfg Config) (*Result, error) {
	if subject.Remembers() {
		return nil, errRemembers
	}
	s := &search{
		ctx: ctx, cfg: cfg, subject: subject, began: time.Now(),
		stopped: map[prove.Cut]int{}, covered: make([]bool, len(sim.CoveragePoints())),
		r: &Result{prove.Result{Checked: map[string]int{}, Schedules: &prove.Schedules{}, Cut: []prove.Cut{}}, map[sim.Digest]struct{}{}},
	}
	for _, p := range properties {
		s.r.Checked[p] = 0
	}
	first, start := sim.NewWorld(subject.Options()), &beginning{}
	explore.Begin(subject, first, start)
	if err := prove.CheckOwn(first, "Clone"); err != nil {
		return nil, err
	}
	first.KeepNumbers()
	s.r.Fixed = start.asked
	s.cover(first)
	s.explore(first, nil)
	if s.err != nil {
		return nil, s.err
	}
	return s.result(properties), nil
}

// errRemembers is the error of a subject whose judges need more than the end of a schedule.
var errRemembers = errors.New("schedules are judged at their ends, and a judge remembers earlier steps: leave out the properties that need it")

// beginning gives each question before the first step its first answer.
type beginning struct {
	Path
	asked int
}

func (b *beginning) Choose(*sim.World, int, string) int {
	b.asked++
	return 0
}

type search struct {
	ctx     context.Context
	cfg     Config
	subject prove.Subject
	began   time.Time
	// path are the places of the schedule that is looked at.
	path []*place
	// stopped is in how many schedules the bound kept each timer from firing.
	stopped map[prove.Cut]int
	// covered is, by coverage point, whether it came about.
	covered []bool
	r       *Result
	over    bool
	err     error
	// between is memory of reverse.
	between set
}

// explore goes on from the end of the path, where the world is as given.
func (s *search) explore(world *sim.World, asleep []sleeper) {
	p := &place{world: world, asleep: asleep, slept: len(asleep)}
	bound := s.enable(p)
	if len(p.enabled) == 0 {
		s.complete(world)
		for _, t := range bound {
			s.stopped[t]++
		}
		return
	}
	if len(s.path) == maxSteps {
		s.end(fmt.Sprintf("a schedule did not end within %d steps: something goes on for ever without a timer", maxSteps))
		return
	}
	s.path = append(s.path, p)
	taken := false
	for !s.over {
		a, more := p.next(taken)
		if !more {
			break
		}
		p.tried = append(p.tried, a.Slot)
		p.want(a.Slot)
		taken = s.thread(p, a) || taken
	}
	s.path = s.path[:len(s.path)-1]
	if !taken && !s.over {
		s.r.Schedules.Abandoned++
	}
}

// enable finds out what can happen in a place. It returns the timers that only the bound keeps
// from firing.
func (s *search) enable(p *place) (bound []prove.Cut) {
	for _, a := range p.world.Enabled() {
		if a.Kind == sim.Fire && s.subject.Endless(a.Node) && fired(s.path, a.Slot) >= s.cfg.TimerBound {
			bound = append(bound, prove.Cut{Node: p.world.NodeName(a.Node), Timer: p.world.Activity(a)})
			continue
		}
		p.enabled = append(p.enabled, a)
	}
	return bound
}

// fired is how often a timer has fired on a path.
func fired(path []*place, slot int32) int {
	n := 0
	for _, p := range path {
		if p.event.action.Slot == slot {
			n++
		}
	}
	return n
}

// thread takes the step of a thread with each combination of answers, except sleeping ones.
// It reports whether it took a step.
func (s *search) thread(p *place, a sim.Action) (taken bool) {
	if p.sleeps(a.Slot, nil) {
		return false
	}
	var given explore.Combination
	var done []sleeper
	for more := true; more && !s.over; more = given.Next() {
		next, panicked := s.take(p, a, &given)
		if s.over {
			return taken
		}
		picked := slices.Clone(given.Given())
		if p.sleeps(a.Slot, picked) {
			continue
		}
		taken = true
		p.event.answers = picked
		for _, answer := range picked {
			p.event.class = p.event.class.Int(int64(answer))
		}
		s.r.Transitions++
		s.checkLimits()
		order(s.path, s.race)
		shared := p.event.shared
		if panicked != nil {
			p.wantAll()
			s.ended([]explore.Finding{*panicked})
		} else {
			s.disabled(p, next)
			s.explore(next, p.stillAsleep(shared))
		}
		done = append(done, sleeper{a.Slot, picked, shared})
	}
	p.asleep = append(p.asleep, done...)
	return taken
}

// take carries out a step in a clone, and notes it as the event of its place.
func (s *search) take(p *place, a sim.Action, c *explore.Combination) (next *sim.World, panicked *explore.Finding) {
	if next, s.err = p.world.Clone(); s.err != nil {
		s.over = true
		return nil, nil
	}
	var cells sim.Footprint
	next.RecordCells(&cells)
	p.event = event{action: a, name: p.world.Name(a), class: label(p.world, a)}
	if panicked = explore.Panicked(func() { next.Do(c, a) }); panicked != nil {
		cells.All = true
	}
	s.cover(next)
	p.event.number = uint32(next.Steps())
	p.event.touched = newTouched(&cells, a.Node, math.MaxInt)
	p.event.shared = newTouched(&cells, a.Node, p.world.Connections())
	if a.Node != 0 && prove.Wraps(p.world.Node(a.Node)) {
		p.event.touched.vague, p.event.shared.vague = true, true
	}
	next.RecordCells(nil)
	return next, panicked
}

// cover notes the coverage points that came about in a world.
func (s *search) cover(w *sim.World) {
	for i := range s.covered {
		s.covered[i] = s.covered[i] || w.Count(sim.CoveragePoint(i)) > 0
	}
}

// label is what an event is, whatever it comes behind.
func label(w *sim.World, a sim.Action) sim.Digest {
	d := sim.NewDigest.Word(uint64(a.Kind)).Int(int64(a.Node))
	if m := w.Pending(a); m != nil {
		return m.Payload.Digest(d.Int(int64(m.From)))
	}
	return d.Text(w.Activity(a))
}

// disabled has those steps tried that were possible in a place and are not behind its event:
// no later step of theirs would show the conflict. One that sleeps is not carried out here, so
// that it shows no conflict with what can come before it: then everything is tried.
func (s *search) disabled(p *place, next *sim.World) {
	still := next.Enabled()
	for _, a := range p.enabled {
		if a.Slot == p.event.action.Slot || slices.ContainsFunc(still, func(b sim.Action) bool { return b.Slot == a.Slot }) {
			continue
		}
		p.want(a.Slot)
		if slices.ContainsFunc(p.asleep[:p.slept], func(s sleeper) bool { return s.thread == a.Slot }) {
			p.wantAll()
			return
		}
	}
}

// complete judges the end of a schedule.
func (s *search) complete(world *sim.World) {
	s.subject.Adopt(world)
	s.ended(s.subject.Judge(world))
	if s.cfg.Ended != nil {
		s.cfg.Ended(world)
	}
}

// ended takes in what is known of a schedule that came to its end.
func (s *search) ended(found []explore.Finding) {
	s.r.Schedules.Complete++
	s.r.Depth = max(s.r.Depth, len(s.path))
	var class sim.Digest
	for _, p := range s.path {
		class = class.And(p.event.class)
	}
	s.r.classes[class] = struct{}{}
	for i := range found {
		f := &found[i]
		if f.Exercised > 0 {
			s.r.Checked[f.Property]++
		}
		if f.Verdict == model.Violated {
			s.fail(f.Failure())
		}
	}
	if len(s.r.Failures) > 0 && !s.cfg.All {
		s.over = true
	}
}

func (s *search) fail(f explore.Failure) {
	if slices.ContainsFunc(s.r.Failures, func(x prove.Failed) bool { return x.Failure == f }) {
		return
	}
	path := &Path{}
	for _, p := range s.path {
		path.steps = append(path.steps, named{p.event.name, p.event.answers})
	}
	s.r.Failures = append(s.r.Failures, prove.Failed{Failure: f, Path: path})
}

// end ends the search before everything was looked at.
func (s *search) end(why string) {
	if !s.over {
		s.over, s.r.Why = true, why
	}
}

// checkLimits ends the search where a limit does.
func (s *search) checkLimits() {
	if s.r.Transitions%limitsEvery != 0 {
		return
	}
	elapsed := time.Since(s.began)
	switch {
	case s.ctx.Err() != nil:
		s.end("it was interrupted")
	case s.cfg.For > 0 && elapsed >= s.cfg.For:
		s.end(fmt.Sprintf("the time of %v was over", s.cfg.For))
	case s.cfg.Progress != nil:
		s.cfg.Progress(Progress{Schedules: s.r.Schedules.Complete, Abandoned: s.r.Schedules.Abandoned, Steps: s.r.Transitions, Elapsed: elapsed})
	}
}

func (s *search) result(properties []string) *Result {
	r := s.r
	r.Schedules.Classes, r.Seconds = len(r.classes), time.Since(s.began).Seconds()
	r.Schedules.Redundant = r.Schedules.Complete - r.Schedules.Classes
	for i, came := range s.covered {
		if came {
			r.CoveragePoints = append(r.CoveragePoints, sim.CoveragePoint(i).String())
		}
	}
	for _, t := range slices.SortedFunc(maps.Keys(s.stopped), prove.Cut.Compare) {
		t.Times = s.stopped[t]
		r.Cut = append(r.Cut, t)
	}
	r.Conclude(properties)
	return r
}

// Result is what a search has covered, and what it found.
type Result struct {
	prove.Result
	classes map[sim.Digest]struct{}
}

// CameTo reports whether one of the schedules that came to their end was of a class.
func (r *Result) CameTo(c Class) bool {
	_, there := r.classes[sim.Digest(c)]
	return there
}

// Class tells schedules apart that differ in more than the order of steps that do not conflict.
type Class sim.Digest

// Progress is how far a search is.
type Progress struct {
	Schedules, Abandoned, Steps int
	Elapsed                     time.Duration
}
