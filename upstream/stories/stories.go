// Package stories makes failing runs of a bed small, and tells what happens in them. A bed is a subject that is no
// scenario of the catalogue: a user's package in front of the simulated etcd, or a cluster of released etcd.
package stories

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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
	// Line is what a story says of an event.
	Line(w *sim.World, e *sim.Event) Line
}

// Line is what a story says of an event, nothing if it has no text.
type Line struct {
	Text string
	// Object is what it is about. Lines of a node with one text in a step become one line, with all objects.
	Object string
	// Aside: it may be left out if its step has no other line.
	Aside bool
	// Asks: it is left out if the node asks again before it is answered. Answers is the node that is answered, 0 if
	// none is.
	Asks    bool
	Answers sim.NodeID
}

// Run is a run that fails in some way.
type Run struct {
	recording.Shrunk
	// Why says what is wrong, Story what happened, a line each.
	Why   string
	Story []string
	// Decides says without which parts the run passes, a line each. There is none where that is not known.
	Decides []string
}

// String is what is told of it.
func (r *Run) String() string {
	text := strings.Join(r.Story, "\n") + "\n\n" + r.Why + "\n"
	if len(r.Decides) > 0 {
		text += "\n" + strings.Join(r.Decides, "\n") + "\n"
	}
	return text
}

// Record records the run of a seed that fails in some way, with its story. The subjects are beds.
func Record(newSubject func() explore.Subject, by strategy.Strategy, seed uint64, f explore.Failure) *recording.Recording {
	b := newSubject().(Bed)
	runner := explore.NewRunner(b, 0)
	t := newTeller(b)
	runner.Observe(t)
	rec, _ := recording.RecordSeed(runner, by, seed)
	rec.Tool, rec.Scenario, rec.Parameters = b.Records()
	keep(rec, f, t.story())
	return rec
}

// Find makes the first run that failed in some way smaller, in so many runs at most, and tells its story. The subjects
// are beds.
func Find(ctx context.Context, newSubject func() explore.Subject, by strategy.Strategy, f campaign.FailureTally, runs int) (*Run, error) {
	return Shrink(ctx, newSubject, Record(newSubject, by, f.FirstSeed, f.Failure), f.Failure, runs)
}

// Shrink makes a recorded run of a bed that fails in some way smaller, in so many runs at most, and tells its story.
func Shrink(ctx context.Context, newSubject func() explore.Subject, rec *recording.Recording, f explore.Failure, runs int) (*Run, error) {
	b := newSubject().(Bed)
	runner := explore.NewRunner(b, 0)
	parted, _ := b.(recording.Parted)
	small, err := recording.Reduce(ctx, runner, parted, rec, f, runs)
	if err != nil {
		return nil, err
	}
	small.Recording.Tool, small.Recording.Scenario, small.Recording.Parameters = b.Records()
	r, err := replay(runner, b, small.Recording, f)
	if err != nil {
		return nil, err
	}
	r.Shrunk, r.Decides = *small, decides(small.Deciding)
	keep(r.Recording, f, slices.Concat(r.Story, r.Decides))
	return r, nil
}

// decidesHead begins what is said of the parts that decide.
const decidesHead = "What decides: without any of these the run passes"

func decides(all []recording.Kind) (lines []string) {
	if len(all) == 0 {
		return nil
	}
	lines = []string{fmt.Sprintf("%s, with the same choices and in %d re-draws of those that do not fit then.", decidesHead, recording.Redraws)}
	for _, k := range all {
		if len(k.Parts) > 2 {
			lines = append(lines, fmt.Sprintf("  %d %s", len(k.Parts), k.Name))
		} else {
			lines = append(lines, "  "+strings.Join(k.Parts, " and "))
		}
	}
	return lines
}

// keep writes the story into the recording, which is from then on the one that was made for this failure.
func keep(rec *recording.Recording, f explore.Failure, story []string) {
	for i := range rec.Findings {
		if of := &rec.Findings[i]; of.Property == f.Property && of.Label == f.Label {
			of.Story = story
		}
	}
}

// Replay carries out a recorded run of a bed again, and tells its story, with what decides as the recording has it.
// It is an error if the run takes another course.
func Replay(newSubject func() explore.Subject, rec *recording.Recording) (*Run, error) {
	failure, failed := rec.MadeFor()
	if !failed {
		return nil, errors.New("nothing is violated in the recorded run")
	}
	b := newSubject().(Bed)
	r, err := replay(explore.NewRunner(b, 0), b, rec, failure)
	if err != nil {
		return nil, err
	}
	for _, f := range rec.Findings {
		if i := slices.IndexFunc(f.Story, func(line string) bool { return strings.HasPrefix(line, decidesHead) }); i >= 0 {
			r.Decides = f.Story[i:]
		}
	}
	return r, nil
}

func replay(runner *explore.Runner, b Bed, rec *recording.Recording, f explore.Failure) (*Run, error) {
	t := newTeller(b)
	runner.Observe(t)
	defer runner.Observe(nil)
	res, err := recording.Replay(runner, rec)
	if err != nil {
		return nil, err
	}
	finding := res.Find(f)
	if finding == nil {
		return nil, fmt.Errorf("the recorded run does not fail in this way any more: %s", f)
	}
	why := finding.Why.String()
	if f.Property == explore.NoPanic && !explore.OfProgram(finding.Why) {
		why = "This is a bug of watchbed: " + why
	}
	return &Run{Shrunk: recording.Shrunk{Recording: rec}, Why: why, Story: t.story()}, nil
}

// Seconds is a time as a story has it.
func Seconds(t sim.Time) string { return fmt.Sprintf("%.3f s", float64(t)/1e9) }

// teller writes down what happens.
type teller struct {
	bed          Bed
	lines        []line
	asides, step []entry
	// asked are the places, by nodes, of lines that ask and were not answered.
	asked map[sim.NodeID]int
}

func newTeller(b Bed) *teller { return &teller{bed: b, asked: map[sim.NodeID]int{}} }

// entry is a line that is not written yet: begins is what stands before its objects.
type entry struct {
	begins  string
	objects []string
	of      sim.NodeID
	asks    bool
}

// mostShown is how many objects a line names.
const mostShown = 4

func (e *entry) String() string {
	if n := len(e.objects) - mostShown; n > 1 {
		return e.begins + strings.Join(e.objects[:mostShown], ", ") + fmt.Sprintf(" and %d others", n)
	}
	return e.begins + strings.Join(e.objects, ", ")
}

// Observe implements sim.Observer.
func (t *teller) Observe(w *sim.World, e *sim.Event) {
	if e.Kind == sim.Acted {
		t.end()
	}
	l := t.bed.Line(w, e)
	delete(t.asked, l.Answers)
	if l.Text == "" {
		return
	}
	in := &t.step
	if l.Aside {
		in = &t.asides
	}
	said := entry{begins: fmt.Sprintf("%9s  %-10s %s", Seconds(w.Now()), w.NodeName(e.Node), l.Text), of: e.Node, asks: l.Asks}
	i := slices.IndexFunc(*in, func(o entry) bool { return o.begins == said.begins && l.Object != "" })
	if i < 0 {
		i = len(*in)
		*in = append(*in, said)
	}
	if of := &(*in)[i]; l.Object != "" && !slices.Contains(of.objects, l.Object) {
		of.objects = append(of.objects, l.Object)
	}
}

// end ends a step.
func (t *teller) end() {
	for _, e := range slices.Concat(t.asides, t.step) {
		if e.asks {
			if before, unanswered := t.asked[e.of]; unanswered {
				t.lines[before].text = ""
			}
			t.asked[e.of] = len(t.lines)
		}
		t.lines = append(t.lines, line{e.String(), len(t.step) == 0})
	}
	t.step, t.asides = t.step[:0], t.asides[:0]
}

// mostAlone is how many steps that have nothing but what is aside a story tells of. Where there are more it tells of
// none.
const mostAlone = 20

// story is all lines that stayed.
func (t *teller) story() (all []string) {
	t.end()
	alone := 0
	for _, l := range t.lines {
		if l.alone {
			alone++
		}
	}
	for _, l := range t.lines {
		if l.text != "" && (!l.alone || alone <= mostAlone) {
			all = append(all, l.text)
		}
	}
	return all
}

// line is one of a story. alone: it is aside, and its step has no other line.
type line struct {
	text  string
	alone bool
}
