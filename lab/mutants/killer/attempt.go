package killer

import (
	"slices"
	"time"
)

// Task is what one process does about one mutant.
type Task struct {
	// Campaigns are those to run, in this order.
	Campaigns []*Baseline
	// Budget is the processor time after which no campaign begins.
	Budget time.Duration
}

// Outcome is what came of it.
type Outcome struct {
	// Kind is empty if the mutant survived.
	Kind, What, Campaign string
	// Ran is how many campaigns were run, of Of.
	Ran, Of int
	// Touched: the changed statement was reached. It is known of survivors only.
	Touched bool
	CPU     time.Duration
}

// Attempt runs campaigns until one of them notices the mutant that runs by more than a coverage point that is missing.
func Attempt(t *Task, touched func() bool) Outcome {
	all := Campaigns()
	o := Outcome{Of: len(t.Campaigns)}
	for _, b := range t.Campaigns {
		if cpuTime() > t.Budget {
			break
		}
		i := slices.IndexFunc(all, func(c *Campaign) bool { return c.Name == b.Campaign })
		o.Ran++
		if i < 0 {
			o.Kind, o.What, o.Campaign = "panic", "the campaign cannot be put together", b.Campaign
			break
		}
		kind, what := Judge(all[i], b)
		if kind != "" && (o.Kind == "" || kind != coverage) {
			o.Kind, o.What, o.Campaign = kind, what, b.Campaign
		}
		if kind != "" && kind != coverage {
			break
		}
	}
	o.Touched, o.CPU = touched(), cpuTime()
	return o
}
