package command

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/diagnosis/recorded"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
)

type shrinkFlags struct {
	out      string
	property string
	runs     int
}

func shrinkCommand(s streams) *cobra.Command {
	var f shrinkFlags
	c := &cobra.Command{
		Use:   "shrink FILE",
		Short: "a smaller run that still fails the same way",
		Long:  "Shrink looks for a smaller run that violates the same property with the same cause, and writes it to a file of its\nown. It exits 0 if it wrote one or if there is nothing smaller to be found.",
		Args:  oneArgument("replay file", "simrun run writes them to simrun-failures/"),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c, s, args[0])
		},
	}
	c.Flags().StringVar(&f.out, "out", "simrun-failures", "directory for the smaller replay file; none is ever overwritten")
	c.Flags().StringVar(&f.property, "property", "", "the violated property to keep (default: the first in the file)")
	c.Flags().IntVar(&f.runs, "runs", recording.DefaultShrinkRuns, "how many runs to try at most")
	return c
}

func (f *shrinkFlags) run(c *cobra.Command, s streams, path string) error {
	rec, sc, err := open(path)
	if err != nil {
		return err
	}
	if f.runs < 1 {
		return usage("--runs %d: want at least 1", f.runs)
	}
	failure, err := f.failure(rec, path)
	if err != nil {
		return err
	}
	system, err := recorded.System(sc, rec)
	if err != nil {
		return usage("%s: %w", path, err)
	}
	small, err := recording.Shrink(c.Context(), explore.NewRunner(system, system.Params().Clock.Steps), rec, failure, f.runs)
	if err != nil {
		return usage("%s: %w", path, withRemedy(err))
	}
	result := small.Recording
	result.Tool, result.Scenario, result.Parameters = "watchbed "+version(), rec.Scenario, rec.Parameters
	written, err := result.Create(f.out)
	if err != nil {
		return usage("cannot keep the smaller run under %s: %w", f.out, err)
	}
	fmt.Fprintf(s.out, "%s: %d steps, before %d; %d runs\n", written, small.After, small.Before, small.Runs)
	if !small.Complete {
		fmt.Fprintln(s.out, "There may be smaller ones: the runs were used up or the search was interrupted.")
	}
	return nil
}

// failure is the way to fail that is kept.
func (f *shrinkFlags) failure(rec *recording.Recording, path string) (explore.Failure, error) {
	all := rec.Violations()
	if len(all) == 0 {
		return explore.Failure{}, usage("%s: nothing is violated in it, so there is nothing to keep", path)
	}
	for _, v := range all {
		if f.property == "" || v.Property == f.property {
			return v, nil
		}
	}
	return explore.Failure{}, usage("%s: %q is not violated in it, but %s is", path, f.property, all[0].Property)
}
