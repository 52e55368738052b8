package main

import (
	"fmt"
	"slices"

	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"

	"github.com/watchbed/watchbed/upstream/table"
)

// amiss is what is wrong between the table, the catalogue and the lists of reasons, nothing if all agrees. A scenario that was not
// measured yet is on the page as such.
func amiss(rows []row) ([]string, error) {
	var all []string
	for i := range rows {
		r := &rows[i]
		if sc, err := testbed.FindScenario(r.Scenario); err != nil || !slices.Contains(rowsOf(sc), r.Etcd) {
			all = append(all, fmt.Sprintf("the row of %s on etcd %s is about nothing that is measured", r.Scenario, r.Etcd))
			continue
		}
		wrong, err := amissIn(r)
		if err != nil {
			return nil, err
		}
		all = append(all, wrong...)
	}
	of, err := idle(rows)
	return append(all, of...), err
}

// waiting are the scenarios that were not measured yet.
func waiting(rows []row) []string {
	var all []string
	for _, sc := range testbed.Scenarios() {
		for _, etcd := range rowsOf(sc) {
			if table.Find(rows, table.Key{Scenario: sc.Name, Etcd: etcd}) == nil {
				all = append(all, sc.Name+" on etcd "+etcd)
			}
		}
	}
	return all
}

// amissIn is what is wrong in a row: a violation without a reason, and a claim that was not checked without one.
func amissIn(r *row) ([]string, error) {
	all, err := knownOf(r)
	if err != nil {
		return nil, err
	}
	var wrong []string
	for _, c := range r.Claims {
		isKnown := slices.ContainsFunc(all, func(v known.Violation) bool { return v.Property.Name == c.Property })
		switch {
		case c.Violated > 0 && !isKnown:
			wrong = append(wrong, fmt.Sprintf("%s on etcd %s violates %s, and there is no reason for it", r.Scenario, r.Etcd, c.Property))
		case c.Checked == 0 && c.Violated == 0 && r.Schedules >= thin && unjudged[c.Property] == "" && missOf(r) == nil && unasked[[2]string{r.Scenario, c.Property}] == "":
			wrong = append(wrong, fmt.Sprintf("%s on etcd %s never checks %s, and there is no reason for it", r.Scenario, r.Etcd, c.Property))
		case c.Checked > 0 && unjudged[c.Property] != "":
			wrong = append(wrong, fmt.Sprintf("%s on etcd %s checks %s, which is said to be impossible", r.Scenario, r.Etcd, c.Property))
		}
	}
	return wrong, nil
}

// thin is how many schedules a row has at least in which it is said that a claim is never checked.
const thin = 10

// idle are the reasons that explain nothing.
func idle(rows []row) ([]string, error) {
	var all []string
	has := func(matches func(r *row, c *claim) bool) bool {
		return slices.ContainsFunc(rows, func(r row) bool {
			return slices.ContainsFunc(r.Claims, func(c claim) bool { return matches(&r, &c) })
		})
	}
	for name := range unjudged {
		claims := func(sc *testbed.Scenario) bool {
			return slices.ContainsFunc(sc.Claims, func(p *testbed.Property) bool { return p.Name == name })
		}
		if !slices.ContainsFunc(testbed.Scenarios(), claims) {
			all = append(all, fmt.Sprintf("there is a reason why %s is not checked, and no scenario claims it", name))
		}
	}
	for key := range unasked {
		if !has(func(r *row, c *claim) bool { return r.Scenario == key[0] && c.Property == key[1] && c.Checked == 0 }) {
			all = append(all, fmt.Sprintf("there is a reason why %s does not check %s, and it does", key[0], key[1]))
		}
	}
	for _, m := range missed {
		sc, err := testbed.FindScenario(m.scenario)
		if err != nil {
			return nil, err
		}
		lost, err := dropped(sc)
		if err != nil {
			return nil, err
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
	return all, nil
}
