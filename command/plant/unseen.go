package plant

import (
	"context"
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/testbed"
)

// compared is the largest number of schedules that are run again without a bug or a setting.
const compared = 1_000

// unseen says of each planted bug for which no test looks in this scenario whether it made a
// difference, a line each: the schedules of a campaign are run with it and without. It says
// nothing of a bug that made one where something is violated. An interrupt ends it with
// what it knows.
func unseen(ctx context.Context, program string, sc *testbed.Scenario, p testbed.Params, cfg campaign.Config, c *campaign.Result) ([]string, error) {
	var lines []string
	for _, name := range p.Bugs {
		b, err := testbed.FindBug(name)
		if err != nil || b.ShowsIn(sc) || c.Schedules == 0 {
			continue
		}
		cfg.Seeds = min(c.Schedules, compared)
		without := p
		without.Bugs = slices.DeleteFunc(slices.Clone(p.Bugs), func(name string) bool { return name == b.Name })
		same, interrupted, err := unchanged(ctx, sc, p, without, cfg)
		if err != nil {
			return lines, err
		}
		what := ""
		switch {
		case interrupted:
			return lines, nil
		case same:
			what = fmt.Sprintf("changes nothing here: without it the first %s the same to the bit", firstSchedules(cfg.Seeds))
		case len(c.Failures) > 0:
			continue
		case slices.Contains(sc.Claims, b.Property):
			what = "changes what happens here, and violated nothing in these schedules"
		default:
			what = fmt.Sprintf("changes what happens here, and %s does not claim %s, which finds it", sc.Name, b.Property.Name)
		}
		lines = append(lines, fmt.Sprintf("%s %s; `%s run --bug %s` takes %s, where it shows%s", name, what, program, name, b.Scenario.Name, soon(b, b.Scenario)))
	}
	return lines, nil
}

// unchanged reports whether the schedules of a campaign take the same course without something.
func unchanged(ctx context.Context, sc *testbed.Scenario, p, without testbed.Params, cfg campaign.Config) (same, interrupted bool, err error) {
	// What is compared is a hash: nothing of the campaign before may end these early.
	cfg.For, cfg.StopAfter, cfg.RecheckShare, cfg.Failed, cfg.Progress = 0, 0, -1, nil, nil
	var results []*campaign.Result
	for _, params := range []testbed.Params{p, without} {
		subjects, err := sc.Subjects(params)
		if err != nil {
			return false, false, err
		}
		cfg.Steps = params.Clock.Steps
		c, err := campaign.Run(ctx, subjects, cfg)
		if err != nil {
			return false, false, err
		}
		if c.Interrupted {
			return false, true, nil
		}
		results = append(results, c)
	}
	// What only a judge reads changes no schedule.
	return results[0].Hash == results[1].Hash && slices.Equal(results[0].Properties, results[1].Properties), false, nil
}
