package diagnosis

import (
	"context"
	"time"

	"github.com/watchbed/watchbed/diagnosis/flip"
	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/testbed"
)

// wait is an option that says how long something waits before it gives up, or how long faults
// strike. Polls and loops go on meanwhile: a read that waits 3 s for the cache has 30 polls in its
// story, and a few of them say the same.
type wait struct {
	option string
	// more is what the wait must be longer than: to give up sooner does not show that the answer takes
	// too long. It is nil if a property allows any wait.
	more func(*testbed.System) testbed.Bound
}

var waits = []wait{
	{"block-timeout", (*testbed.System).ReadBound},
	{"queue-wait", nil},
	{"faults-for", nil},
}

// smallestPart is the smallest part of a wait that is tried, as a divisor.
const smallestPart = 16

// decision is what decides, or else what comes nearest to it, and whether it decides for sure.
func (d *Diagnosis) decision() (decision *flip.Decision, sure bool) {
	if d.Decision != nil {
		return d.Decision, true
	}
	if d.Switch != nil {
		return d.Switch, true
	}
	return d.Maybe, false
}

// shorterWaits is a diagnosis of a timed run in which each wait is as short as it can be while the same
// setting decides.
func (f *Finder) shorterWaits(ctx context.Context, d *Diagnosis, tally campaign.FailureTally) *Diagnosis {
	if decides, _ := d.decision(); decides == nil {
		return d
	}
	for i := range waits {
		for part := smallestPart; part > 1; part /= 2 {
			if ctx.Err() != nil {
				return d
			}
			if shorter := f.withPart(ctx, d, &waits[i], part, tally); shorter != nil {
				d = shorter
				break
			}
		}
	}
	return d
}

// withPart is the diagnosis of a run with a part of a wait, nil if it has no fewer steps, or if it
// is not decided by the setting that decides the other one.
func (f *Finder) withPart(ctx context.Context, d *Diagnosis, w *wait, part int, tally campaign.FailureTally) *Diagnosis {
	with, err := f.Scenario.RecordedParams(d.Recording.Parameters)
	if err != nil {
		return nil
	}
	decides, _ := d.decision()
	passing, _ := decides.Passing()
	short := waitOf(&with, w.option) / time.Duration(part)
	if short <= 0 || with.Set(w.option, short.String()) != nil || passing.Set(w.option, short.String()) != nil {
		return nil
	}
	system, err := f.Scenario.New(with)
	if err != nil || w.more != nil && w.more(system).Total >= short {
		return nil
	}
	if _, fails := f.find(ctx, passing, tally, lessSearch); fails {
		return nil
	}
	seed, found := f.find(ctx, with, tally, fewerSearch)
	if !found {
		return nil
	}
	rec, err := f.smallest(ctx, with, seed, tally.Failure, laterCandidates)
	if err != nil || rec.Steps() >= d.Recording.Steps() {
		return nil
	}
	shorter, err := Of(f.Scenario, rec, tally.Failure)
	if err != nil {
		return nil
	}
	same, sure := shorter.decision()
	_, wasSure := d.decision()
	if same.Blame() != decides.Blame() || wasSure && !sure {
		return nil
	}
	return shorter
}

// waitOf is how long a wait is. Without a value it is the node's own.
func waitOf(p *testbed.Params, name string) time.Duration {
	for _, s := range p.Expand() {
		if d, err := time.ParseDuration(s.Value); s.Name == name && err == nil && d > 0 {
			return d
		}
	}
	for _, o := range testbed.Describe() {
		if d, err := time.ParseDuration(o.Default); o.Name == name && err == nil {
			return d
		}
	}
	return 0
}
