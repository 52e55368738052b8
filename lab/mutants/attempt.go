package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/watchbed/watchbed/internal/mutants"
)

// attempted is the argument that has the program attempt a mutant.
const attempted = "attempt"

// margin is the processor time that one campaign may take beyond the budget before
// it counts as endless.
const margin = 10 * time.Second

// attempt runs campaigns with one mutant, or measures them without any, in the binary that is built with the mutants in
// it. It reads a Task as JSON and writes an Outcome; with the argument "baseline" it writes a Baseline for each
// campaign that can be used and whose name contains one of the parts that the argument behind it has, between commas.
func attempt(args []string) error {
	out := json.NewEncoder(os.Stdout)
	if len(args) > 1 && args[0] == "baseline" {
		return baseline(out, args[1])
	}
	var t Task
	if err := json.NewDecoder(os.Stdin).Decode(&t); err != nil {
		return err
	}
	if err := mutants.Process(t.Budget + margin); err != nil {
		return err
	}
	return out.Encode(t.run(func() bool { return mutants.Touched }))
}

func baseline(out *json.Encoder, parts string) error {
	// What ran before main makes a difference in every campaign.
	before := mutants.Entered()
	for _, c := range Campaigns() {
		if !slices.ContainsFunc(strings.Split(parts, ","), func(part string) bool { return strings.Contains(c.Name, part) }) {
			continue
		}
		b, err := MeasureBaseline(c, func() []int { return append(mutants.Entered(), before...) })
		if err != nil {
			fmt.Fprintln(os.Stderr, "attempt: not used:", err)
			continue
		}
		if err := out.Encode(b); err != nil {
			return err
		}
	}
	return nil
}

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
	// Further: the baseline has fewer schedules than it took.
	Further bool
	// Ran is how many campaigns were run, of Of.
	Ran, Of int
	// Touched: the changed statement was reached. It is known of survivors only.
	Touched bool
	CPU     time.Duration
}

// run runs campaigns until one of them notices the mutant that runs by more than a coverage point that is missing.
// First it looks at a few schedules of each: a campaign in which the mutant makes a difference is run before all
// others. What is left of the budget goes to further schedules of all.
func (t *Task) run(touched func() bool) Outcome {
	o := Outcome{Of: len(t.Campaigns)}
	var alike, further []*trial
	ended := false
	try := func(x *trial, judge func() (kind, what string)) {
		kind, what := judge()
		if kind != "" && (o.Kind == "" || kind != coverage) {
			o.Kind, o.What, o.Campaign = kind, what, x.baseline.Campaign
		}
		ended = ended || kind != "" && kind != coverage
	}
	for _, x := range trials(t.Campaigns) {
		switch {
		case ended:
		case cpuTime() > t.Budget/2 || x.alike():
			alike = append(alike, x)
		default:
			o.Ran++
			further = append(further, x)
			try(x, x.judge)
		}
	}
	for _, x := range alike {
		if !ended && cpuTime() <= t.Budget {
			o.Ran++
			further = append(further, x)
			try(x, x.judge)
		}
	}
	// What a bug violates elsewhere is known of few schedules.
	further = slices.DeleteFunc(further, func(x *trial) bool { return x.baseline.Elsewhere })
	for len(further) > 0 && !ended && cpuTime() <= t.Budget {
		x := further[0]
		further = append(further[1:], x)
		try(x, x.further)
		o.Further = ended
	}
	o.Touched, o.CPU = touched(), cpuTime()
	return o
}

// trial is a campaign that is run with a mutant.
type trial struct {
	// campaign is nil if it cannot be put together.
	campaign *Campaign
	baseline *Baseline
	found    *findings
}

func trials(baselines []*Baseline) (all []*trial) {
	campaigns := map[string]*Campaign{}
	for _, c := range Campaigns() {
		campaigns[c.Name] = c
	}
	for _, b := range baselines {
		all = append(all, &trial{campaigns[b.Campaign], b, newFindings()})
	}
	return all
}

// alike reports whether the mutant makes no difference in the first few schedules.
func (x *trial) alike() bool {
	if x.campaign == nil {
		return false
	}
	seen, err := x.campaign.look()
	return err == nil && seen == x.baseline.Seen
}

func (x *trial) judge() (kind, what string) {
	if x.campaign == nil {
		return "panic", "the campaign cannot be put together"
	}
	return judge(x.campaign, x.baseline, x.found)
}

// further is what is wrong in the next slice of schedules. What has to come about is not asked for, and the baseline
// does not know which of these are cut off.
func (x *trial) further() (kind, what string) {
	if kind, what = x.found.wrong(x.campaign, x.baseline); kind == "cut off" {
		return "", ""
	}
	return kind, what
}
