package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/watchbed/watchbed/diagnosis"
	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/recording"
)

type shrinkFlags struct {
	out      string
	property string
	runs     int
}

func shrinkCommand(s process) *cobra.Command {
	var f shrinkFlags
	c := &cobra.Command{
		Use:   "shrink FILE",
		Short: "a smaller run that still fails the same way",
		Long:  "Shrink looks for a smaller run that violates the same property with the same cause, and writes it to a file of its\nown. It exits 0 as well if there is nothing smaller to be found; then it writes nothing.",
		Args:  oneArgument("replay file", s.program+" run writes them to simrun-failures/"),
		RunE: func(c *cobra.Command, args []string) error {
			return f.run(c, s, args[0])
		},
	}
	c.Flags().StringVar(&f.out, outFlag, failuresDir, "directory for the smaller replay file; none is ever overwritten")
	c.Flags().StringVar(&f.property, "property", "", "the violated property to keep (default: the one that the file was made for)")
	runs := "how many runs to try at most"
	for _, b := range s.beds {
		runs += fmt.Sprintf("; of a %s %d by default", b.Kind, shrinkRunsOfBed)
	}
	c.Flags().IntVar(&f.runs, "runs", recording.DefaultShrinkRuns, runs)
	return c
}

func (f *shrinkFlags) run(c *cobra.Command, s process, path string) error {
	rec, sc, bed, err := s.open(path)
	if err != nil {
		return err
	}
	if bed != nil && !c.Flags().Changed("runs") {
		f.runs = shrinkRunsOfBed
	}
	if f.runs < 1 {
		return usage("--runs %d: want at least 1", f.runs)
	}
	failure, err := f.failure(rec, path)
	if err != nil {
		return err
	}
	shrink := func(ctx context.Context, rec *recording.Recording, failure explore.Failure, runs int) (*recording.Shrunk, error) {
		system, err := sc.Recorded(rec.Parameters)
		if err != nil {
			return nil, err
		}
		small, err := recording.Shrink(ctx, system.Runner(), rec, failure, runs)
		return small, withRemedy(err)
	}
	if bed != nil {
		shrink = bed.Shrink
	}
	small, err := shrink(c.Context(), rec, failure, f.runs)
	if err != nil {
		return usage("%s: %w", path, err)
	}
	unfinished := ""
	if !small.Complete {
		unfinished = " There may be a smaller one: the runs were used up or the search was interrupted."
	}
	result := small.Recording
	if result.TraceHash == rec.TraceHash {
		fmt.Fprintf(s.out, "Nothing smaller than %s violates %s: %d recorded choices; %d runs.%s\n", path, failure.Property, len(rec.Choices), small.Runs, unfinished)
		return nil
	}
	if bed == nil {
		result.Tool = s.tool()
		told, err := diagnosis.Of(sc, result, failure)
		if err != nil {
			return usage("%s: %w", path, err)
		}
		told.Keep()
	}
	written, err := result.Create(f.out)
	if err != nil {
		return usage("cannot keep the smaller run under %s: %w", f.out, withoutPath(err))
	}
	fmt.Fprintf(s.out, "%s: %d recorded choices, before %d; %d runs.%s\n", written, len(result.Choices), len(rec.Choices), small.Runs, unfinished)
	return nil
}

// failure is the way to fail that is kept.
func (f *shrinkFlags) failure(rec *recording.Recording, path string) (explore.Failure, error) {
	made, ok := rec.MadeFor()
	switch {
	case !ok:
		return made, usage("%s: nothing is violated in it, so there is nothing to keep", path)
	case f.property == "" || f.property == made.Property:
		return made, nil
	}
	for _, v := range rec.Violations() {
		if v.Property == f.property {
			return v, nil
		}
	}
	return made, usage("%s: %q is not violated in it, but %s is", path, f.property, made.Property)
}
