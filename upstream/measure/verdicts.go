package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// verdicts is what each scenario of the catalogue says over the code that ships. What is written by hand is what is
// known of the scenarios, and why claims are never checked (verdicts_silent.go).
var verdicts = &table[verdictRow]{
	name: "verdicts", about: "what each scenario says over a guest",
	choice: "front", keys: verdictKeys, measure: measureVerdict, amiss: amissInVerdicts, render: renderVerdicts,
}

// guest is the design that the table is about, next the one of the release after it.
const (
	guest = "kubernetes@v0.37.2"
	next  = "kubernetes@v0.38.0-alpha.2"
)

// The fronts are what a scenario is run with: the version of etcd, behind a plus that of Kubernetes if it is not the
// guest's. The first is in front of an etcd that knows no range streams, streams in front of one that does.
const (
	newEtcd = "3.6.16"
	oldEtcd = "3.5.7"
	streams = "3.7.3"
	nextNew = newEtcd + "+v0.38.0-alpha.2"
)

var fronts = []string{newEtcd, oldEtcd, streams, nextNew}

// old are the scenarios that are run in front of an old etcd as well, whose progress the guest does not trust: those
// about consistent reads, and those about bugs of this etcd that reach a cache which does not rely on its progress.
var old = []string{
	"issue-15220", "issue-15220-catching-up", "issue-17507", "consistent-list", "every-read", "rewatch", "stale-own-write",
	"resumed-watch", "crash-in-compaction", "watch-list-six-seconds", "guard-old-etcd", "guard-quiet-range",
}

func verdictKeys() []key {
	return scenarioKeys(func(sc *testbed.Scenario) []string {
		return slices.DeleteFunc(slices.Clone(fronts), func(front string) bool { return front == oldEtcd && !slices.Contains(old, sc.Name) })
	})
}

// verdictRow is what a scenario says over a guest in front of one version of etcd.
type verdictRow struct {
	Scenario, Etcd string
	// Refused is why no such world can be put together, empty if one can. NoCache: the world has no
	// cache, so that there is nothing to say of one.
	Refused string `json:",omitempty"`
	NoCache bool   `json:",omitempty"`
	// Schedules is how many ran, from seed 0 on, Truncated how many of these reached the limit of steps.
	Schedules uint64  `json:",omitempty"`
	Truncated uint64  `json:",omitempty"`
	Claims    []claim `json:",omitempty"`
}

// claim is one property that a scenario claims.
type claim struct {
	Property string
	tally
}

func (c claim) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s %v", c.Property, c.tally), nil
}

func (c *claim) UnmarshalText(text []byte) error { return readTallies(text, &c.Property, &c.tally) }

func (r verdictRow) key() key { return key{r.Scenario, r.Etcd} }

func (r verdictRow) String() string {
	switch {
	case r.Refused != "":
		return fmt.Sprintf("%v: %s", r.key(), r.Refused)
	case r.NoCache:
		return fmt.Sprintf("%v: no cache", r.key())
	}
	line := fmt.Sprintf("%v, %d schedules:", r.key(), r.Schedules)
	for _, c := range r.Claims {
		switch {
		case c.Violated > 0:
			line += fmt.Sprintf(" %s violated in %d of them,", c.Property, c.Violated)
		case c.Checked == 0:
			line += fmt.Sprintf(" %s never checked,", c.Property)
		}
	}
	return line[:len(line)-1]
}

// verdictMost is how many schedules of a scenario are run at most, verdictWithin about how many choices they may come
// to, some seconds of a processor: a bound by time would make rows thinner on a machine that has other work.
const (
	verdictMost   = 200
	verdictWithin = 100_000
)

// verdictParams are those of a scenario over a guest.
func verdictParams(sc *testbed.Scenario, front string) testbed.Params {
	p := sc.Params
	etcd, _, isNext := strings.Cut(front, "+")
	p.Etcd, p.Cache = etcd, guest
	if isNext {
		p.Cache = next
	}
	return p
}

// measureVerdict runs a scenario over the guest, as many schedules as verdictWithin allows.
func measureVerdict(ctx context.Context, k key) (verdictRow, error) {
	// A guest that cannot be used is not what a scenario says.
	if _, err := scenarios.Issue15220.New(verdictParams(scenarios.Issue15220, k.on)); err != nil {
		return verdictRow{}, err
	}
	r, choices, err := countVerdict(ctx, k, few)
	if err != nil || r.Schedules == 0 {
		return r, err
	}
	n := few * verdictWithin / choices
	if n <= few {
		return r, nil
	}
	r, _, err = countVerdict(ctx, k, min(verdictMost, n))
	return r, err
}

// countVerdict runs a number of schedules of a scenario over the guest, from seed 0 on, and says how many choices they
// came to.
func countVerdict(ctx context.Context, k key, schedules uint64) (r verdictRow, choices uint64, err error) {
	r = verdictRow{Scenario: k.of, Etcd: k.on}
	sc, err := testbed.FindScenario(k.of)
	if err != nil {
		return r, 0, err
	}
	p := verdictParams(sc, k.on)
	s, err := sc.New(p)
	switch {
	case err != nil:
		r.Refused = err.Error()
		return r, 0, nil
	case len(s.Caches()) == 0:
		r.NoCache = true
		return r, 0, nil
	}
	found, err := run(ctx, sc, &p, campaign.Config{Seeds: schedules, Workers: 1})
	if err != nil {
		return r, 0, err
	}
	r.Schedules, r.Truncated = found.Schedules, found.Truncated
	for i := range found.Properties {
		of := &found.Properties[i]
		r.Claims = append(r.Claims, claim{of.Name, tally{of.Exercised, of.Violations}})
	}
	return r, found.Stats.Choices, nil
}

// known is what is known of the scenario with the simulated design of the guest's release. A false alarm is mended.
func (r *verdictRow) known() []known.Violation {
	sc, err := overGuest(r.Scenario)
	if err != nil {
		return nil
	}
	p := verdictParams(sc, r.Etcd)
	return known.Violations(sc, &p)
}

// amissInVerdicts are violations, and claims that were not checked, without a reason, and reasons that explain nothing.
// A scenario that was not measured yet is on the page as such.
func amissInVerdicts(rows []verdictRow) []string {
	var wrong []string
	for i := range rows {
		r := &rows[i]
		all := r.known()
		for _, c := range r.Claims {
			switch {
			case c.Violated > 0 && explained(all, c.Property) == nil:
				wrong = append(wrong, fmt.Sprintf("%v violates %s, and there is no reason for it", r.key(), c.Property))
			case c.Checked == 0 && c.Violated == 0 && r.Schedules >= thin && unjudgedInGuests[c.Property] == "" && missOf(r) == nil &&
				unasked[[2]string{r.Scenario, c.Property}] == "":
				wrong = append(wrong, fmt.Sprintf("%v never checks %s, and there is no reason for it", r.key(), c.Property))
			case c.Checked > 0 && unjudgedInGuests[c.Property] != "":
				wrong = append(wrong, fmt.Sprintf("%v checks %s, which is said to be impossible", r.key(), c.Property))
			}
		}
	}
	return append(wrong, idle(rows)...)
}

// thin is how many schedules a row has at least in which it is said that a claim is never checked.
const thin = 10

// idle are the reasons that explain nothing.
func idle(rows []verdictRow) []string {
	var all []string
	for name := range unjudgedInGuests {
		claims := func(sc *testbed.Scenario) bool {
			return slices.ContainsFunc(sc.Claims, func(p *testbed.Property) bool { return p.Name == name })
		}
		if !slices.ContainsFunc(testbed.Scenarios(), claims) {
			all = append(all, fmt.Sprintf("there is a reason why %s is not checked, and no scenario claims it", name))
		}
	}
	for of := range unasked {
		if !slices.ContainsFunc(rows, func(r verdictRow) bool {
			return r.Scenario == of[0] && slices.ContainsFunc(r.Claims, func(c claim) bool { return c.Property == of[1] && c.Checked == 0 })
		}) {
			all = append(all, fmt.Sprintf("there is a reason why %s does not check %s, and it does", of[0], of[1]))
		}
	}
	for _, m := range missed {
		sc, err := testbed.FindScenario(m.scenario)
		if err != nil {
			all = append(all, err.Error())
			continue
		}
		lost, err := dropped(sc)
		if err != nil {
			all = append(all, err.Error())
			continue
		}
		named := m.option == theGuest
		for _, s := range lost {
			named = named || s.Name == m.option
		}
		if !named {
			all = append(all, fmt.Sprintf("%s is said to be about %s, which it does not set or which reaches the guest", m.scenario, m.option))
		}
	}
	slices.Sort(all)
	return all
}
