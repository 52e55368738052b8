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

// attempt runs campaigns with one mutant, or measures them without any, in the binary that is built with the mutants in it. It reads a
// Task as JSON and writes an Outcome; with the argument "baseline" it writes a Baseline for each campaign that can be used and whose
// name contains one of the parts that the argument behind it has, between commas.
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
	// Ran is how many campaigns were run, of Of.
	Ran, Of int
	// Touched: the changed statement was reached. It is known of survivors only.
	Touched bool
	CPU     time.Duration
}

// run runs campaigns until one of them notices the mutant that runs by more than a coverage point that is missing.
func (t *Task) run(touched func() bool) Outcome {
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
