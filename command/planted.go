package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// bugScenario is the scenario to run for bugs that were named without one.
type bugScenario struct {
	scenario *testbed.Scenario
	// strategy is the strategy for the first bug; empty is the default.
	strategy string
	// bugs are the bugs that have to be planted: the scenario may have some already.
	bugs []string
	// why says in one line why it is this scenario.
	why string
}

// whereBugsShow takes the scenario in which all of these bugs show: that in which the first one
// was measured if the others show there, too. What else is asked for changes its parameters.
// The error is one line.
func whereBugsShow(names []string, change func(*testbed.Params) error) (bugScenario, error) {
	var bugs []*testbed.KnownBug
	for _, name := range names {
		b, err := testbed.FindBug(name)
		if err != nil {
			return bugScenario{}, err
		}
		bugs = append(bugs, b)
	}
	first := bugs[0]
	for _, sc := range append([]*testbed.Scenario{first.Scenario}, first.Also...) {
		if slices.ContainsFunc(bugs, func(b *testbed.KnownBug) bool { return !b.ShowsIn(sc) }) {
			continue
		}
		p := sc.Params
		if err := change(&p); err != nil {
			return bugScenario{}, err
		}
		c := bugScenario{scenario: sc, strategy: first.Strategy, why: "the scenario is " + sc.Name}
		var shows []string
		for _, b := range bugs {
			shows = append(shows, b.Name+" shows there by "+b.Property.Name+soon(b, sc))
			if p.Has(b.Name) {
				shows[len(shows)-1] += ", and etcd " + p.Etcd + " with the cache design " + p.Cache + " has it anyway"
			} else {
				c.bugs = append(c.bugs, b.Name)
			}
		}
		c.why += ": " + strings.Join(shows, "; ")
		if c.strategy != "" {
			c.why += "; the strategy is " + c.strategy
		}
		return c, nil
	}
	var places []string
	for _, b := range bugs {
		places = append(places, b.Name+" in "+b.Scenario.Name)
	}
	return bugScenario{}, fmt.Errorf("which scenario? none is known to show all of these bugs: %s", strings.Join(places, ", "))
}

// soon is the measured figure of a bug in its scenario, empty if there is none.
func soon(b *testbed.KnownBug, sc *testbed.Scenario) string {
	if f, ok := knownbugs.FigureOf(b.Name); ok && f.Scenario == sc.Name {
		return " (" + f.String() + ")"
	}
	return ""
}

// askedSetting is a setting that was asked for, with what the parameters are if it is left out.
type askedSetting struct {
	option.Setting
	without testbed.Params
}

// asked lists the settings of --set, each with the parameters that built comes to without it. One without which the
// others are refused is left out.
func (f *parameters) asked(built func(change func(*testbed.Params) error) (testbed.Params, error)) []askedSetting {
	settings, err := parseSettings(f.set)
	if err != nil {
		return nil
	}
	var all []askedSetting
	for i, set := range settings {
		others := *f
		others.set = slices.Delete(slices.Clone(f.set), i, i+1)
		if without, err := built(others.apply); err == nil {
			all = append(all, askedSetting{set, without})
		}
	}
	return all
}

// changed applies a change to the parameters of a scenario or of a recording.
func changed(p testbed.Params) func(change func(*testbed.Params) error) (testbed.Params, error) {
	return func(change func(*testbed.Params) error) (testbed.Params, error) {
		other := p
		err := change(&other)
		return other, err
	}
}

// noteAlready prints a line on standard error for each setting that the parameters have without it, and returns the
// others. of is the scenario or the recording that is changed.
func noteAlready(s process, of string, p *testbed.Params, asked []askedSetting) (others []askedSetting) {
	for _, a := range asked {
		if alike(p, &a.without) {
			s.complain("--set %s changes nothing: %s on etcd %s with the cache design %s has it already", a.Setting, of, p.EtcdName(), p.Cache)
		} else {
			others = append(others, a)
		}
	}
	return others
}

// alike reports whether every option of every node has the same value. A setting holds for all members of etcd, also
// for one whose release has another value.
func alike(a, b *testbed.Params) bool {
	if !slices.Equal(a.Expand(), b.Expand()) {
		return false
	}
	for _, version := range a.MemberVersions() {
		x, y := *a, *b
		x.Etcd, y.Etcd = version, version
		if !slices.Equal(x.Expand(), y.Expand()) {
			return false
		}
	}
	return len(a.Topology.ServerSettings) == 0
}

// idle has a line for each planted bug and each setting that makes no difference in a campaign, and says of a bug that
// makes one, where nothing is violated, which property finds it. Left out are a bug in the scenario that it was
// measured in, if nothing else is asked for, and a setting that others need. An interrupt ends it with what it knows.
func idle(ctx context.Context, program string, sc *testbed.Scenario, p testbed.Params, asked []askedSetting, cfg campaign.Config, c *campaign.Result) (lines []string, err error) {
	for _, name := range p.Bugs {
		b, err := testbed.FindBug(name)
		if err != nil || c.Schedules == 0 {
			continue
		}
		without := p
		without.Bugs = slices.DeleteFunc(slices.Clone(p.Bugs), func(name string) bool { return name == b.Name })
		if b.ShowsIn(sc) && alike(&without, &sc.Params) {
			continue
		}
		same, interrupted, err := unchanged(ctx, sc, p, without, cfg, c.Schedules)
		if err != nil || interrupted {
			return lines, err
		}
		what := ""
		switch {
		case same != "":
			what = "changes nothing here: without it the first " + same
		case len(c.Failures) > 0, b.ShowsIn(sc):
			continue
		case slices.Contains(sc.Claims, b.Property):
			what = "changes what happens here, and violated nothing in these schedules"
		default:
			what = fmt.Sprintf("changes what happens here, and %s does not claim %s, which finds it", sc.Name, b.Property.Name)
		}
		own := &b.Scenario.Params
		lines = append(lines, fmt.Sprintf("%s %s; `%s run --bug %s` takes %s on etcd %s with the cache design %s, where it shows%s",
			name, what, program, name, b.Scenario.Name, own.EtcdName(), own.Cache, soon(b, b.Scenario)))
	}
	for _, a := range asked {
		if _, needed := sc.Subjects(a.without); needed != nil || c.Interrupted || c.Schedules == 0 || a.without.Clock.OnlyMeasures(a.Setting.Name) {
			continue
		}
		same, interrupted, err := unchanged(ctx, sc, p, a.without, cfg, c.Schedules)
		if err != nil || interrupted {
			return lines, err
		}
		if same != "" {
			lines = append(lines, fmt.Sprintf("--set %s changes nothing here: without it the first %s", a.Setting, same))
		}
	}
	return lines, nil
}

// compared is the largest number of schedules that are run again without a bug or a setting.
const compared = 1_000

// unchanged says how many schedules of a campaign take the same course without something; it is empty if one does not.
// Most bugs and settings show in the first schedule, so that the search for a difference costs little.
func unchanged(ctx context.Context, sc *testbed.Scenario, p, without testbed.Params, cfg campaign.Config, schedules uint64) (same string, interrupted bool, err error) {
	// What is compared is a hash: nothing of the campaign before may end these early.
	cfg.For, cfg.StopAfter, cfg.RecheckShare, cfg.Failed, cfg.Progress = 0, 0, -1, nil, nil
	for seeds := uint64(1); ; seeds *= 10 {
		cfg.Seeds = min(seeds, compared, schedules)
		var results [2]*campaign.Result
		for i, params := range []testbed.Params{p, without} {
			subjects, err := sc.Subjects(params)
			if err != nil {
				return "", false, err
			}
			cfg.Steps = params.Clock.Steps
			if results[i], err = campaign.Run(ctx, subjects, cfg); err != nil || results[i].Interrupted {
				return "", err == nil, err
			}
		}
		// What only a judge reads changes no schedule.
		switch {
		case results[0].Hash != results[1].Hash || !slices.Equal(results[0].Properties, results[1].Properties):
			return "", false, nil
		case cfg.Seeds == 1 && schedules == 1:
			return "schedule is the same to the bit", false, nil
		case cfg.Seeds == min(compared, schedules):
			return fmt.Sprintf("%d schedules are the same to the bit", cfg.Seeds), false, nil
		}
	}
}
