package report

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/scenarios"
)

// comparison is how many other schedules a flip is put to the test with.
const comparison = 300

// flip looks for the single behaviour that decides: with another value of it the
// recorded choices, followed as far as they fit, no longer violate the property,
// nor do other schedules. etcd's own behaviours come first, since that is where
// fixes are made; then the client's, then the cache's. Of several the one that a
// later release has is the better one.
func flip(sc *scenarios.Scenario, p scenarios.Params, rec *explore.Recording, f explore.Failure) string {
	b, err := p.Behaviours()
	if err != nil {
		return ""
	}
	before := violations(sc, p, f.Property)
	var best flipped
	for _, d := range b.Dimensions() {
		if best.text != "" && best.of != d.Of {
			break
		}
		for _, value := range d.Values {
			if value == d.Value {
				continue
			}
			q := with(p, d.Name, value)
			followed, gone := followsWithout(sc, q, rec, f)
			if !gone {
				continue
			}
			after := violations(sc, q, f.Property)
			if !convincing(followed, before, after) {
				continue
			}
			release := released(p, d, value)
			c := flipped{of: d.Of, text: decides(d, value, before, after) + release, released: release != "", followed: followed}
			if c.betterThan(best) {
				best = c
			}
		}
	}
	if best.text == "" {
		return "No single behaviour, flipped, makes it go away."
	}
	return best.text
}

// convincing: a flip that moves a few steps away from the violation proves
// nothing. It counts if the recorded choices nearly all fit and it leaves at
// most a quarter of the other violations, which may have another cause; or if it
// leaves none, of enough.
func convincing(followed float64, before, after int) bool {
	const enough, nearly = 5, 0.9
	return followed >= nearly && 4*after <= before || before >= enough && after == 0
}

// flipped is a behaviour with another value that makes the violation go away.
type flipped struct {
	of, text string
	released bool
	followed float64
}

func (c flipped) betterThan(d flipped) bool {
	if c.released != d.released {
		return c.released
	}
	return c.followed > d.followed
}

// decides says what a flip does; before and after are in how many other
// schedules the property is violated without it and with it.
func decides(d scenarios.Dimension, value string, before, after int) string {
	s := fmt.Sprintf("One behaviour of %s decides: %s=%s. With %s=%s the same choices no longer violate it", owner[d.Of], d.Name, d.Value, d.Name, value)
	switch {
	case after > 0:
		s += fmt.Sprintf("; of %d other schedules %d did, and %d does", comparison, before, after)
	case before > 0:
		s += fmt.Sprintf(", nor do %d other schedules, of which %d did", comparison, before)
	}
	return s + "."
}

var owner = map[string]string{"etcd": "etcd", "client": "the client library", "cache": "the cache"}

// with sets one dimension, whatever the parameters said of it before.
func with(p scenarios.Params, dimension, value string) scenarios.Params {
	bugs := []string{dimension + "=" + value}
	named := map[string]string{}
	for _, b := range scenarios.Bugs() {
		named[b.Name] = b.Dimension
	}
	for _, b := range p.Bugs {
		d, _, isDimension := strings.Cut(b, "=")
		if !isDimension {
			d = named[b]
		}
		if d != dimension {
			bugs = append(bugs, b)
		}
	}
	p.Bugs = bugs
	return p
}

// followsWithout reports whether the recorded choices, as far as they fit, lead
// to a run that does not violate the property, and which share of them fits.
func followsWithout(sc *scenarios.Scenario, p scenarios.Params, rec *explore.Recording, f explore.Failure) (followed float64, gone bool) {
	system, err := sc.New(p)
	if err != nil {
		return 0, false
	}
	follower, err := explore.NewFollower(rec)
	if err != nil {
		return 0, false
	}
	gone = !violates(explore.NewRunner(system, p.Steps).Run(follower), f.Property)
	taken, recorded := follower.Followed()
	return float64(taken) / float64(max(1, recorded)), gone
}

func violates(r explore.Result, property string) bool {
	for _, f := range r.Findings {
		if f.Property == property && f.Verdict == model.Violated {
			return true
		}
	}
	return false
}

// violations counts the schedules that violate the property.
func violations(sc *scenarios.Scenario, p scenarios.Params, property string) int {
	subjects, err := sc.Subjects(p)
	if err != nil {
		return 0
	}
	c, err := explore.Explore(context.Background(), subjects, explore.Config{Seeds: comparison, Steps: p.Steps, RecheckShare: -1})
	if err != nil {
		return 0
	}
	for _, f := range c.Properties {
		if f.Name == property {
			return int(f.Violations)
		}
	}
	return 0
}

// released says which release of the same branch brought the other value.
func released(p scenarios.Params, flipped scenarios.Dimension, value string) string {
	if flipped.Of != "etcd" {
		return ""
	}
	parts := strings.Split(strings.TrimPrefix(p.Etcd, "v"), ".")
	if len(parts) != 3 {
		return ""
	}
	patch, err := strconv.Atoi(parts[2])
	if err != nil {
		return ""
	}
	q := p
	q.Bugs, q.Assume = nil, nil
	for n := patch + 1; n < patch+60; n++ {
		q.Etcd = parts[0] + "." + parts[1] + "." + strconv.Itoa(n)
		b, err := q.Behaviours()
		if err != nil {
			return ""
		}
		for _, d := range b.Dimensions() {
			if d.Name == flipped.Name && d.Value == value {
				return " etcd " + q.Etcd + " was released with it."
			}
		}
	}
	return ""
}
