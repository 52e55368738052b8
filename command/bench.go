package command

import (
	"context"
	"fmt"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/explore/strategy"
	"github.com/watchbed/watchbed/linearizability"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/reads"
	"github.com/watchbed/watchbed/report"
	"github.com/watchbed/watchbed/testbed"
)

// measurement is one row of the bench.
type measurement struct {
	What     string  `json:"what"`
	Scenario string  `json:"scenario"`
	Etcd     string  `json:"etcd"`
	Strategy string  `json:"strategy"`
	Unit     string  `json:"unit"`
	Median   float64 `json:"median"`
	Min      float64 `json:"min"`
	Max      float64 `json:"max"`
}

func benchCommand(s process) *cobra.Command {
	var asJSON bool
	var rounds int
	c := &cobra.Command{
		Use:   "bench",
		Short: "choices per second, and schedules and processor time until a bug shows",
		Long: `Bench measures, on one core: choices a second with the witness judging every history, schedules a second with porcupine
judging every history as well, and how many schedules and how much processor time it takes each strategy until
#15220 and #17507 show. Each figure is the median of several rounds, beside it the minimum and the maximum.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if rounds < 1 {
				return usage("--rounds %d: want at least 1", rounds)
			}
			rows, err := bench(c.Context(), rounds)
			if err != nil {
				return err
			}
			if asJSON {
				return report.WriteJSON(s.out, rows)
			}
			t := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
			fmt.Fprintln(t, "what\tscenario\tetcd\tstrategy\tmedian\tmin\tmax\t")
			for _, r := range rows {
				fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.4g\t%.4g\t%.4g\t%s\n", r.What, r.Scenario, r.Etcd, r.Strategy, r.Median, r.Min, r.Max, r.Unit)
			}
			return t.Flush()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print a JSON array")
	c.Flags().IntVar(&rounds, "rounds", 5, "how often each figure is measured")
	return c
}

// benchSchedules are the runs of one round of a rate.
const benchSchedules = 10_000

func bench(ctx context.Context, rounds int) ([]measurement, error) {
	var rows []measurement
	for _, judge := range []struct {
		name       string
		operations int
	}{
		{"witness", -1}, {"porcupine", linearizability.DefaultOperations},
	} {
		for _, chosen := range []strategy.Strategy{strategy.Random(), strategy.Default()} {
			r, err := rates(ctx, judge.name, judge.operations, chosen, rounds)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r...)
		}
	}
	for _, bug := range []struct{ scenario, property string }{
		{"issue-15220", reads.LinearizableData.Name}, {"issue-15220-catching-up", reads.LinearizableData.Name}, {"issue-17507", reads.AnswersInTime.Name},
	} {
		for _, chosen := range strategy.All() {
			r, err := timeToBug(ctx, bug.scenario, bug.property, chosen)
			if err != nil {
				return nil, err
			}
			rows = append(rows, r...)
		}
	}
	return rows, nil
}

// subject is a scenario with its own parameters.
func subject(name string) (*testbed.Scenario, *testbed.System, error) {
	sc, err := testbed.FindScenario(name)
	if err != nil {
		return nil, nil, err
	}
	system, err := sc.New(sc.Params)
	return sc, system, err
}

func rates(ctx context.Context, name string, operations int, chosen strategy.Strategy, rounds int) ([]measurement, error) {
	sc, system, err := subject("issue-15220")
	if err != nil {
		return nil, err
	}
	p := sc.Params
	system.JudgeWith(operations)
	runner := system.Runner()
	chooser := chosen.For(runner)
	var choices, schedules []float64
	for range rounds {
		var n uint64
		start := time.Now()
		for seed := range uint64(benchSchedules) {
			chooser.Begin(seed)
			n += runner.Run(chooser).Stats.Choices
		}
		if ctx.Err() != nil {
			return nil, &exitError{exitNoVerdict, fmt.Errorf("interrupted")}
		}
		seconds := time.Since(start).Seconds()
		choices = append(choices, float64(n)/seconds)
		schedules = append(schedules, benchSchedules/seconds)
	}
	return []measurement{
		row(name, sc.Name, p.Etcd, chosen.Name, "choices/s", choices),
		row(name, sc.Name, p.Etcd, chosen.Name, "schedules/s", schedules),
	}, nil
}

// A time to a bug is known well enough after so many hits, or so many schedules.
const (
	enoughHits   = 200
	maxSchedules = 20_000
)

// timeToBug measures the distances between schedules that show a bug: how many
// schedules it takes from any seed on.
func timeToBug(ctx context.Context, scenario, property string, chosen strategy.Strategy) ([]measurement, error) {
	sc, system, err := subject(scenario)
	if err != nil {
		return nil, err
	}
	p := sc.Params
	runner := system.Runner()
	chooser := chosen.For(runner)
	var gaps, millis []float64
	last, start := uint64(0), time.Now()
	for seed := uint64(0); seed < maxSchedules && len(gaps) < enoughHits && ctx.Err() == nil; seed++ {
		chooser.Begin(seed)
		result := runner.Run(chooser)
		if result.Verdict(property) == model.Violated {
			gaps = append(gaps, float64(seed+1-last))
			millis = append(millis, time.Since(start).Seconds()*1e3)
			last, start = seed+1, time.Now()
		}
	}
	if ctx.Err() != nil {
		return nil, &exitError{exitNoVerdict, fmt.Errorf("interrupted")}
	}
	if len(gaps) == 0 {
		return []measurement{{What: property + " not found", Scenario: scenario, Etcd: p.Etcd, Strategy: chosen.Name, Unit: "schedules tried",
			Median: maxSchedules, Min: maxSchedules, Max: maxSchedules}}, nil
	}
	return []measurement{
		row(property, scenario, p.Etcd, chosen.Name, "schedules until it shows", gaps),
		row(property, scenario, p.Etcd, chosen.Name, "ms of one core until it shows", millis),
	}, nil
}

func row(what, scenario, etcd, strategy, unit string, values []float64) measurement {
	slices.Sort(values)
	return measurement{what, scenario, etcd, strategy, unit, values[len(values)/2], values[0], values[len(values)-1]}
}
