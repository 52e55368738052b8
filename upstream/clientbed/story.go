package clientbed

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
	"github.com/watchbed/watchbed/sim/etcd/lease"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"

	"github.com/watchbed/watchbed/upstream/clientnode"
)

// Told is a small run that fails in some way.
type Told struct {
	Recording *recording.Recording
	// Why says what is wrong, Story what happened, a line each.
	Why   string
	Story []string
}

// Tell makes the first run that failed in some way smaller, in so many runs at most, and tells its story.
func Tell(ctx context.Context, newSubject func() explore.Subject, f campaign.FailureTally, runs int) (*Told, error) {
	subject := newSubject().(*subject)
	runner := explore.NewRunner(subject, 0)
	found, _ := recording.RecordSeed(runner, strategy.Default(), f.FirstSeed)
	found.Tool, found.Scenario, found.Parameters = "clientbed", subject.config.Guest, subject.config.parameters()
	small, err := recording.Shrink(ctx, runner, found, f.Failure, runs)
	if err != nil {
		return nil, err
	}
	why, story, err := replay(runner, small.Recording, f.Failure)
	if err != nil {
		return nil, err
	}
	return &Told{small.Recording, why, story}, nil
}

// Replay carries out a recorded run again, and tells its story. It is an error if the run takes another course.
func Replay(rec *recording.Recording) (*Told, error) {
	failure, failed := rec.MadeFor()
	if !failed {
		return nil, errors.New("nothing is violated in the recorded run")
	}
	c, err := Recorded(rec)
	if err != nil {
		return nil, err
	}
	newSubject, err := c.Subjects()
	if err != nil {
		return nil, err
	}
	why, story, err := replay(explore.NewRunner(newSubject(), 0), rec, failure)
	if err != nil {
		return nil, err
	}
	return &Told{rec, why, story}, nil
}

func replay(runner *explore.Runner, rec *recording.Recording, f explore.Failure) (why string, story []string, err error) {
	var t teller
	runner.Observe(&t)
	defer runner.Observe(nil)
	res, err := recording.Replay(runner, rec)
	if err != nil {
		return "", nil, err
	}
	t.end()
	finding := res.Find(f)
	if finding == nil {
		return "", nil, fmt.Errorf("the recorded run does not fail in this way any more: %s", f)
	}
	return finding.Why.String(), t.lines, nil
}

// teller writes down what happens: what clients ask and are answered, what processes and etcd say to each other, and which
// goroutines of a process did so. Steps that send no message are left out, and so are keep-alives.
type teller struct {
	lines, step []string
	ran         string
}

// Observe implements sim.Observer.
func (t *teller) Observe(w *sim.World, e *sim.Event) {
	say := func(text string) string {
		return fmt.Sprintf("%7.3f s  %-10s %s", float64(w.Now())/1e9, w.NodeName(e.Node), text)
	}
	switch e.Kind {
	case sim.Acted:
		t.end()
	case sim.Noted:
		switch e.Note.(type) {
		case clientnode.Ran:
			t.ran = say(e.Note.Text(w))
		case lease.RanOut, workload.OperationBegan, workload.OperationEnded:
			t.step = append(t.step, say(e.Note.Text(w)))
		default:
			// The world's own notes are about what breaks.
			if e.Node == 0 {
				t.step = append(t.step, say(e.Note.Text(w)))
			}
		}
	case sim.Sent:
		m := &e.Message
		between := m.From == etcdNode || m.To == etcdNode
		if between && !aside(m.Payload) {
			t.step = append(t.step, say("tells "+w.NodeName(m.To)+": "+m.Payload.Label()))
		}
	}
}

// aside are messages that are left out.
func aside(p sim.Payload) bool {
	switch p.(type) {
	case *wire.LeaseKeepAliveRequest, *wire.LeaseKeepAliveResponse:
		return true
	}
	return false
}

// end ends a step.
func (t *teller) end() {
	if len(t.step) > 0 {
		if t.ran != "" {
			t.lines = append(t.lines, t.ran)
		}
		t.lines = slices.Concat(t.lines, t.step)
	}
	t.step, t.ran = t.step[:0], ""
}
