// Package stories makes failing runs of a bed small, and tells what happens in them. A bed is a subject that is no scenario of the catalogue: a user's
// package in front of the simulated etcd, or a cluster of released etcd.
package stories

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/explore/recording"
	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/option"
)

// Bed is a subject whose runs are recorded.
type Bed interface {
	explore.Subject
	// Records is what its recordings say of it.
	Records() (tool, scenario string, parameters []option.Setting)
	// Line is what a story says of an event, empty if nothing. Aside: it is left out unless its step has another line.
	Line(w *sim.World, e *sim.Event) (text string, aside bool)
}

// Run is a small run that fails in some way.
type Run struct {
	Recording *recording.Recording
	// Why says what is wrong, Story what happened, a line each.
	Why   string
	Story []string
	// Shrunk: no smaller run of those that were tried fails in this way.
	Shrunk bool
}

// Find makes the first run that failed in some way smaller, in so many runs at most, and tells its story. The subjects are beds.
func Find(ctx context.Context, newSubject func() explore.Subject, by strategy.Strategy, f campaign.FailureTally, runs int) (*Run, error) {
	b := newSubject().(Bed)
	runner := explore.NewRunner(b, 0)
	found, _ := recording.RecordSeed(runner, by, f.FirstSeed)
	found.Tool, found.Scenario, found.Parameters = b.Records()
	parted, _ := b.(recording.Parted)
	small, err := recording.Reduce(ctx, runner, parted, found, f.Failure, runs)
	if err != nil {
		return nil, err
	}
	small.Recording.Tool, small.Recording.Scenario, small.Recording.Parameters = b.Records()
	r, err := replay(runner, b, small.Recording, f.Failure)
	if err != nil {
		return nil, err
	}
	r.Shrunk = small.Complete
	return r, nil
}

// Replay carries out a recorded run of a bed again, and tells its story. It is an error if the run takes another course.
func Replay(newSubject func() explore.Subject, rec *recording.Recording) (*Run, error) {
	failure, failed := rec.MadeFor()
	if !failed {
		return nil, errors.New("nothing is violated in the recorded run")
	}
	b := newSubject().(Bed)
	return replay(explore.NewRunner(b, 0), b, rec, failure)
}

func replay(runner *explore.Runner, b Bed, rec *recording.Recording, f explore.Failure) (*Run, error) {
	t := teller{bed: b}
	runner.Observe(&t)
	defer runner.Observe(nil)
	res, err := recording.Replay(runner, rec)
	if err != nil {
		return nil, err
	}
	t.end()
	finding := res.Find(f)
	if finding == nil {
		return nil, fmt.Errorf("the recorded run does not fail in this way any more: %s", f)
	}
	return &Run{Recording: rec, Why: finding.Why.String(), Story: t.lines}, nil
}

// teller writes down what happens. What is aside is left out where nothing else happens in a step.
type teller struct {
	bed                 Bed
	lines, asides, step []string
}

// Observe implements sim.Observer.
func (t *teller) Observe(w *sim.World, e *sim.Event) {
	if e.Kind == sim.Acted {
		t.end()
	}
	text, aside := t.bed.Line(w, e)
	if text == "" {
		return
	}
	line := fmt.Sprintf("%7.3f s  %-10s %s", float64(w.Now())/1e9, w.NodeName(e.Node), text)
	if aside {
		t.asides = append(t.asides, line)
	} else {
		t.step = append(t.step, line)
	}
}

// end ends a step.
func (t *teller) end() {
	if len(t.step) > 0 {
		t.lines = slices.Concat(t.lines, t.asides, t.step)
	}
	t.step, t.asides = t.step[:0], t.asides[:0]
}
