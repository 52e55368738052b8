package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/watchbed/watchbed/explore/campaign"
	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// agreement is whether the code of an etcd release and the simulated server of the same release come to the same
// verdicts: each scenario of the catalogue is run over both, and what one violates and the other does not is a
// difference.
var agreement = &table[agreementRow]{
	name: "agreement", about: "what each scenario says over the code of an etcd and over the simulated one",
	choice: "etcd", keys: agreementKeys, measure: measureAgreement, amiss: amissInAgreement, render: renderAgreement,
}

// newest are the releases that the table is about, the newest of each branch.
var newest = []string{"3.5.35", "3.6.16", "3.7.3"}

func agreementKeys() []key {
	return scenarioKeys(func(*testbed.Scenario) []string { return newest })
}

// released is the program that is the code of a version.
func released(version string) string { return "etcd@v" + version }

// agreementRow is what a scenario says over the code of a release and over the simulated server of it.
type agreementRow struct {
	Scenario, Etcd string
	// Refused is why no such world can be put together, empty if one can.
	Refused string `json:",omitempty"`
	// Code and Model are how many schedules ran over each side, from seed 0 on.
	Code  uint64 `json:",omitempty"`
	Model uint64 `json:",omitempty"`
	// Claims are those that either side violates, or that the model alone judges.
	Claims []sides `json:",omitempty"`
}

// sides is one property that a scenario claims, over both sides.
type sides struct {
	Property    string
	Code, Model tally
}

func (c sides) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%s %v %v", c.Property, c.Code, c.Model), nil
}

func (c *sides) UnmarshalText(text []byte) error {
	return readTallies(text, &c.Property, &c.Code, &c.Model)
}

// differs reports whether one side alone violates the property. What is never judged over the code of a release says
// nothing about it.
func (c sides) differs() bool {
	return (c.Code.Violated > 0) != (c.Model.Violated > 0) && !c.unseen()
}

// unseen reports whether the property is judged over the model alone.
func (c sides) unseen() bool { return c.Code.Checked == 0 && c.Model.Checked > 0 }

func (r *agreementRow) differs() bool { return slices.ContainsFunc(r.Claims, sides.differs) }

func (r agreementRow) key() key { return key{r.Scenario, r.Etcd} }

// counts is how often each side violates a claim.
func (r *agreementRow) counts(c sides) string {
	return fmt.Sprintf("code %d of %d, model %d of %d", c.Code.Violated, r.Code, c.Model.Violated, r.Model)
}

func (r agreementRow) String() string {
	if r.Refused != "" {
		return fmt.Sprintf("%v: %s", r.key(), r.Refused)
	}
	line := fmt.Sprintf("%v, %d and %d schedules", r.key(), r.Code, r.Model)
	for _, c := range r.Claims {
		switch {
		case c.unseen():
			line += fmt.Sprintf("; %s not checked", c.Property)
		case c.differs():
			line += fmt.Sprintf("; DIFFERS: %s, %s", c.Property, r.counts(c))
		case c.Code.Violated > 0:
			line += fmt.Sprintf("; %s, %s", c.Property, r.counts(c))
		}
	}
	return line
}

// agreementMost is how many schedules of a scenario are run at most, agreementWithin about how much processor time they
// may take. Where one side violates what the other does not, the other is run longer times as long: a violation in one
// schedule of twenty is easily missed.
const (
	agreementMost   = 40
	agreementWithin = time.Second
	longer          = 10
)

// agreementParams are those of a scenario on an etcd. Options of the watch path do not reach the code of a release, so
// that neither side has them, nor does any race stay masked.
func agreementParams(sc *testbed.Scenario, version, etcd string) (testbed.Params, error) {
	p := sc.Params
	of, err := testbed.FindProgram(released(version))
	if err != nil {
		return p, err
	}
	p.Settings = slices.DeleteFunc(slices.Clone(p.Settings), func(s option.Setting) bool { return of.Ignores(s.Name) })
	p.Unmask = nil
	for _, r := range testbed.Races() {
		p.Unmask = append(p.Unmask, r.Option)
	}
	return p, p.Set("etcd", etcd)
}

// measureAgreement runs a scenario over both sides, as many schedules as there is time for.
func measureAgreement(ctx context.Context, k key) (agreementRow, error) {
	r := agreementRow{Scenario: k.of, Etcd: k.on}
	sc, err := testbed.FindScenario(k.of)
	if err != nil {
		return r, err
	}
	p, err := agreementParams(sc, k.on, released(k.on))
	if err != nil {
		return r, err
	}
	if _, err := sc.New(p); err != nil {
		r.Refused = err.Error()
		return r, nil
	}
	n, err := affordable(ctx, sc, k.on, released(k.on), agreementMost)
	if err != nil {
		return r, err
	}
	if r, err = runBoth(ctx, k, n, n); err != nil || !r.differs() {
		return r, err
	}
	code, model := n, n
	if slices.ContainsFunc(r.Claims, func(c sides) bool { return c.differs() && c.Code.Violated == 0 }) {
		code, err = affordable(ctx, sc, k.on, released(k.on), longer*n)
	} else {
		model, err = affordable(ctx, sc, k.on, k.on, longer*n)
	}
	if err != nil {
		return r, err
	}
	return runBoth(ctx, k, max(n, code), max(n, model))
}

// affordable is how many schedules of a scenario there is time for, at most a number of them, once all is loaded.
func affordable(ctx context.Context, sc *testbed.Scenario, version, etcd string, limit uint64) (uint64, error) {
	if _, err := runOn(ctx, sc, version, etcd, 1); err != nil {
		return 0, err
	}
	limited := agreementWithin
	if limit > agreementMost {
		limited *= longer
	}
	// What a campaign does beside its schedules counts less the more there are.
	for n := uint64(few); ; n *= 4 {
		start := campaign.CPUTime()
		if _, err := runOn(ctx, sc, version, etcd, n); err != nil {
			return 0, err
		}
		took := campaign.CPUTime() - start
		if estimate := uint64(float64(n) * limited.Seconds() / took.Seconds()); estimate >= limit || 4*took > limited {
			return max(few, min(limit, estimate)), nil
		}
	}
}

// runBoth runs so many schedules of a scenario over each side.
func runBoth(ctx context.Context, k key, code, model uint64) (agreementRow, error) {
	r := agreementRow{Scenario: k.of, Etcd: k.on, Code: code, Model: model}
	sc, err := testbed.FindScenario(k.of)
	if err != nil {
		return r, err
	}
	of, err := runOn(ctx, sc, k.on, released(k.on), code)
	if err != nil {
		return r, err
	}
	simulated, err := runOn(ctx, sc, k.on, k.on, model)
	if err != nil {
		return r, err
	}
	for i, p := range of {
		s := simulated[i]
		c := sides{p.Name, tally{p.Exercised, p.Violations}, tally{s.Exercised, s.Violations}}
		if c.unseen() || c.Code.Violated > 0 || c.Model.Violated > 0 {
			r.Claims = append(r.Claims, c)
		}
	}
	return r, nil
}

// runOn runs a number of schedules of a scenario on an etcd, from seed 0 on.
func runOn(ctx context.Context, sc *testbed.Scenario, version, etcd string, schedules uint64) ([]campaign.PropertyTally, error) {
	p, err := agreementParams(sc, version, etcd)
	if err != nil {
		return nil, err
	}
	found, err := run(ctx, sc, &p, campaign.Config{Seeds: schedules, Workers: 1})
	if err != nil {
		return nil, err
	}
	return found.Properties, nil
}

// differenceReasons are why one side alone violates a property, by scenario and property; an empty scenario stands for
// all. A difference without a reason fails the test, and so does a reason without a difference.
var differenceReasons = map[[2]string]string{
	{"", "prevKV"}: "etcd stores what a watch asks for after it has registered it. A goroutine of the guest does not stop between the two, and an event of the simulated server comes in between",

	{"selected-lists", "cache-matches-etcd"}: withoutPrevious,
	{"selected-lists", "watches-keep-up"}:    withoutPrevious,
	{"streamed-cache", "cache-matches-etcd"}: likeSelectedLists,
	{"etcd-errors", "linearizable-answers"}:  likeSelectedLists,
}

const (
	withoutPrevious = "as with prevKV: an event without its previous value ends the watch of the cache, and its next one meets the race of rewatch"
	// The stories of these were not read.
	likeSelectedLists = "taken to be as in selected-lists"
)

// unjudgedInEtcd are why a property is never checked over the code of a release, in the scenarios in which it is
// checked over the model.
var unjudgedInEtcd = map[string]string{
	"cache-resumes": "no watch of a cache ended in these schedules over the code; over the simulated server an event without its previous value ends some",
	"nothing-left":  "it is judged where a run comes to rest, in 2 of 40 schedules of the simulated server. Of 240 of the code it is in 26",
}

// reason is that of a difference, empty if there is none: one that is written by hand, or that what is known of the
// scenario is rare.
func (r *agreementRow) reason(c sides) string {
	if because := cmp.Or(differenceReasons[[2]string{r.Scenario, c.Property}], differenceReasons[[2]string{"", c.Property}]); because != "" {
		return because
	}
	because := r.known(c)
	if because == "" || r.chance(c) < rare {
		return ""
	}
	return "rare, and known: " + because
}

// rare is a chance that is too small for an explanation.
const rare = 0.01

// chance is how likely all violations of a claim come about on the one side that has them, if both sides violate it as
// often as the other (Fisher's exact test, one-sided).
func (r *agreementRow) chance(c sides) float64 {
	k, has, misses := c.Code.Violated, r.Code, r.Model
	if k == 0 {
		k, has, misses = c.Model.Violated, r.Model, r.Code
	}
	p := 1.0
	for i := range k {
		p *= float64(has-i) / float64(has+misses-i)
	}
	return p
}

// known is what is known of a claim on this release, empty if nothing is.
func (r *agreementRow) known(c sides) string {
	sc, err := testbed.FindScenario(r.Scenario)
	if err != nil {
		return ""
	}
	p, err := agreementParams(sc, r.Etcd, released(r.Etcd))
	if err != nil {
		return ""
	}
	return strings.Join(explained(known.Violations(sc, &p), c.Property), "; ")
}

func amissInAgreement(rows []agreementRow) []string {
	var all []string
	used, unchecked := map[[2]string]bool{}, map[string]bool{}
	for i := range rows {
		r := &rows[i]
		for _, c := range r.Claims {
			if c.differs() {
				used[[2]string{r.Scenario, c.Property}], used[[2]string{"", c.Property}] = true, true
				if r.reason(c) == "" {
					all = append(all, fmt.Sprintf("%v: one side alone violates %s (%s), and there is no reason for it", r.key(), c.Property, r.counts(c)))
				}
			}
			if c.unseen() {
				unchecked[c.Property] = true
				if unjudgedInEtcd[c.Property] == "" {
					all = append(all, fmt.Sprintf("%v never checks %s over the code, and there is no reason for it", r.key(), c.Property))
				}
			}
		}
	}
	for of := range differenceReasons {
		if !used[of] {
			all = append(all, fmt.Sprintf("there is a reason why one side alone violates %s in %q, and none does", of[1], of[0]))
		}
	}
	for property := range unjudgedInEtcd {
		if !unchecked[property] {
			all = append(all, fmt.Sprintf("there is a reason why %s is never checked over the code, and it is", property))
		}
	}
	slices.Sort(all)
	return all
}
