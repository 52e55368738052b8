package main

import (
	"cmp"
	"strings"

	"github.com/watchbed/watchbed/scenarios/known"
	"github.com/watchbed/watchbed/testbed"
)

// reasons are why one side alone violates a property, by scenario and property; an empty scenario stands for all. A difference
// without a reason fails the test, and so does a reason without a difference.
var reasons = map[[2]string]string{
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

// unjudged are why a property is never checked over the code of a release, in the scenarios in which it is checked over the model.
var unjudged = map[string]string{
	"cache-resumes": "no watch of a cache ended in these schedules over the code; over the simulated server an event without its previous value ends some",
	"nothing-left":  "it is judged where a run comes to rest, in 2 of 40 schedules of the simulated server. Of 240 of the code it is in 26",
}

// why is the reason of a difference, empty if there is none: one that is written by hand, or that what is known of the scenario is rare.
func why(r *row, c claim) string {
	if because := cmp.Or(reasons[[2]string{r.Scenario, c.Property}], reasons[[2]string{"", c.Property}]); because != "" {
		return because
	}
	because := knownOf(r, c)
	if because == "" || r.chance(c) < rare {
		return ""
	}
	return "rare, and known: " + because
}

// rare is a chance that is too small for an explanation.
const rare = 0.01

// chance is how likely all violations of a claim come about on the one side that has them, if both sides violate it as
// often as the other (Fisher's exact test, one-sided).
func (r *row) chance(c claim) float64 {
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

// knownOf is what is known of a property in a scenario on a release, empty if nothing is.
func knownOf(r *row, c claim) string {
	sc, err := testbed.FindScenario(r.Scenario)
	if err != nil {
		return ""
	}
	p, err := params(sc, r.Etcd, released(r.Etcd))
	if err != nil {
		return ""
	}
	for _, v := range known.Violations(sc, &p) {
		if v.Property.Name == c.Property {
			return strings.Join(v.Because, "; ")
		}
	}
	return ""
}
