package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/explore/strategy"
	_ "github.com/watchbed/watchbed/knownbugs"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/check"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// checked is what consistency checks found in the runs of a campaign, beside what was so:
// whether a cache had what etcd had at the same resourceVersion, values included, in its
// newest state and in each snapshot.
type checked struct {
	runs int
	// differs are the runs in which a cache ever differed, found those of them in which a
	// check said so.
	differs, found int
	// right are the checks that failed while the cache differed, missed those that
	// succeeded while its newest state did, past those that succeeded while nothing but a
	// snapshot did, wrong those that failed while the cache did not differ.
	right, missed, past, wrong int
	// delays are from the beginning of a difference to the end of the first check that
	// failed, one for each run, timed.
	delays []time.Duration
}

// checkCounter is a property that never fails: it follows the caches of a run.
type checkCounter struct {
	system *testbed.System
	all    *checked
	caches []followedCache
}

type followedCache struct {
	// since is when the present difference began, negative if there is none.
	since sim.Time
	// checks are those that began, with what was so then.
	checks []followedCheck
	ever   bool
	found  bool
}

type followedCheck struct {
	// newest: the newest state differed, and not only a snapshot.
	differed, newest, over bool
	since                  sim.Time
}

func (c *checkCounter) Reset() {
	for i := range c.caches {
		c.caches[i] = followedCache{since: -1}
	}
}

func (*checkCounter) Follows(p testbed.Part) bool { return p == testbed.CacheNode }

func (c *checkCounter) AfterStep(w *sim.World, a sim.Action) {
	for i, cache := range c.system.Caches() {
		if a.Node == cache.ID && cache.Mirror != nil && cache.Detecting != nil {
			c.follow(w, cache, &c.caches[i])
		}
	}
}

func (c *checkCounter) follow(w *sim.World, cache *testbed.Cache, f *followedCache) {
	newest := cache.Ready() && c.differs(cache, cache.Mirror.ResourceVersion(), cache.Mirror.Ascend)
	differs := newest || cache.Ready() && c.remembersWrongly(cache)
	switch {
	case !differs:
		f.since = -1
	case f.since < 0:
		f.since, f.ever = w.Now(), true
	}
	all := cache.Detecting.Detections()
	for len(f.checks) < len(all) {
		f.checks = append(f.checks, followedCheck{differed: differs, newest: newest, since: f.since})
	}
	for i := range f.checks {
		of := &f.checks[i]
		if of.over || all[i].By != check.ConsistencyCheck || all[i].Outcome == check.Pending {
			continue
		}
		of.over = true
		switch {
		case all[i].Outcome == check.Inconsistent && of.differed:
			c.all.right++
			if w.Mode() == sim.Timed && !f.found {
				c.all.delays = append(c.all.delays, time.Duration(w.Now()-of.since))
			}
			f.found = true
		case all[i].Outcome == check.Inconsistent:
			c.all.wrong++
		case all[i].Outcome == check.Consistent && of.newest:
			c.all.missed++
		case all[i].Outcome == check.Consistent && of.differed:
			c.all.past++
		}
	}
}

func (c *checkCounter) differs(of *testbed.Cache, at int64, contents testbed.TruthContents) bool {
	return c.system.Truth().Compare(of.Name, at, of.Prefix(), contents) != nil
}

// remembersWrongly reports whether a snapshot is not what etcd had, at the newest
// resourceVersion for which it stands.
func (c *checkCounter) remembersWrongly(of *testbed.Cache) (wrong bool) {
	if of.Remembering == nil {
		return false
	}
	of.Remembering.AscendSnapshots(func(until int64, ascend func(func(*wire.KeyValue) bool)) {
		wrong = wrong || c.differs(of, until, ascend)
	})
	return wrong
}

func (c *checkCounter) Finding(*sim.World) explore.Finding {
	ever, found := false, false
	for i := range c.caches {
		ever, found = ever || c.caches[i].ever, found || c.caches[i].found
	}
	c.all.runs++
	if ever {
		c.all.differs++
	}
	if ever && found {
		c.all.found++
	}
	return explore.Finding{}
}

// follow runs a scenario with settings, and counts. It returns nil if the scenario has no cache.
func follow(sc *testbed.Scenario, p testbed.Params) (*checked, error) {
	var all checked
	counted := *sc
	counted.Claims = []*testbed.Property{{
		Name: "checks", Kind: testbed.Safety, Promise: "none", Violated: "none",
		New: func(s *testbed.System) testbed.Judge {
			return &checkCounter{system: s, all: &all, caches: make([]followedCache, len(s.Caches()))}
		},
	}}
	system, err := counted.New(p)
	if err != nil || len(system.Caches()) == 0 {
		return nil, err
	}
	r := explore.NewRunner(system, p.Clock.Steps)
	chooser := strategy.Default().New(strategy.Measure(r))
	all = checked{}
	for seed := range uint64(checkedRuns) {
		chooser.Begin(seed)
		r.Run(chooser)
	}
	return &all, nil
}

const preface = `# What consistency checks find

The checks are those of KEP-4988: the digest of the cache and of etcd at the same resourceVersion, over names and resourceVersions.
A cache differs if it does not have what etcd had at its resourceVersion, values included, or if a snapshot that it would answer
from is not what etcd had. A check looks at the newest state only.

`

// checks measures what consistency checks find: of what caches lose, and of each known bug. It takes minutes.
func checks([]string) (string, error) {
	tables, err := divergencesTable()
	if err != nil {
		return "", err
	}
	bugs, err := bugsTable()
	return preface + tables + "\n" + bugs, err
}

// checkedRuns is how many schedules each row of the tables is about.
const checkedRuns = 300

// withChecks are the parameters of the scenario that shows a bug, with the bug and checks.
func withChecks(b *testbed.KnownBug) (testbed.Params, error) {
	p := b.Scenario.Params
	p.Bugs = []string{b.Name}
	var err error
	for _, s := range option.Settings("consistency-checker=fallback", "check-period=1s") {
		err = errors.Join(err, p.Set(s.Name, s.Value))
	}
	return p, err
}

var divergingScenarios = []*testbed.Scenario{scenarios.LostEvent, scenarios.LostDeletion, scenarios.LostVersion, scenarios.LostValue, scenarios.LostSnapshot}

// divergencesTable is about faults in two caches, timed, with a check every 5 to 7.5 min.
func divergencesTable() (string, error) {
	var out strings.Builder
	fmt.Fprintf(&out, "## Kinds of divergence\n\n%d schedules each, with checks 5 to 7.5 min apart, for 14 min. The delay is from the moment at which a cache differs\nto the end of the first check that says so.\n\n", checkedRuns)
	out.WriteString("| lost | schedules in which a cache differs | found in | checks that fail rightly | miss the newest state | miss a snapshot | fail wrongly | delay: median | max |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for _, sc := range divergingScenarios {
		c, err := follow(sc, sc.Params)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&out, "| %s | %d | %d | %d | %d | %d | %d | %s |\n", sc.Name, c.differs, c.found, c.right, c.missed, c.past, c.wrong, delays(c.delays))
	}
	return out.String(), nil
}

func delays(all []time.Duration) string {
	if len(all) == 0 {
		return "- | -"
	}
	slices.Sort(all)
	return fmt.Sprintf("%v | %v", all[(len(all)-1)/2].Round(time.Second), all[len(all)-1].Round(time.Second))
}

// bugsTable is about each known bug, in the scenario that shows it.
func bugsTable() (string, error) {
	var never, unlike []string
	var out strings.Builder
	fmt.Fprintf(&out, "## Known bugs\n\nEach bug in the scenario that shows it, %d schedules, with checks (consistency-checker=fallback; timed, every 1 to 1.5 s). Where a cache\nnever differs, there is nothing for a check to find. In an untimed run a cache has two checks, at any time: one that comes before the\ndifference, or after it has gone, is right to succeed.\n\n", checkedRuns)
	out.WriteString("| bug | scenario | schedules in which a cache differs | found in | checks that fail rightly | miss the newest state | miss a snapshot | fail wrongly |\n|---|---|---:|---:|---:|---:|---:|---:|\n")
	for _, b := range testbed.KnownBugs() {
		p, err := withChecks(b)
		if err != nil {
			return "", err
		}
		c, err := follow(b.Scenario, p)
		if err != nil {
			return "", err
		}
		if c != nil && c.differs > 0 && p.Faults.LostEvents == 0 {
			p.Bugs = nil
			healthy, err := follow(b.Scenario, p)
			if err != nil {
				return "", err
			}
			if healthy.differs > 0 {
				unlike = append(unlike, b.Name)
				continue
			}
		}
		switch {
		case c == nil || c.differs+c.wrong == 0:
			never = append(never, b.Name)
		default:
			fmt.Fprintf(&out, "| %s | %s | %d | %d | %d | %d | %d | %d |\n", b.Name, b.Scenario.Name, c.differs, c.found, c.right, c.missed, c.past, c.wrong)
		}
	}
	fmt.Fprintf(&out, "\nNo cache differs with: %s.\n", strings.Join(never, ", "))
	if len(unlike) > 0 {
		fmt.Fprintf(&out, "\nNot counted, because caches differ there without planting anything, too: %s.\n", strings.Join(unlike, ", "))
	}
	return out.String(), nil
}
