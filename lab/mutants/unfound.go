package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/testbed"
)

// killedBy is how campaigns notice a mutant, and the campaign that does so first.
func (s *searched) killedBy() string {
	words := strings.Fields(s.Killed + " " + cell(s.result.What))
	if s.Campaign != "" {
		words = append(words, "in", cell(s.Campaign))
	}
	return strings.Join(words, " ")
}

// whyNot says why no row finds a mutant, as far as it follows from how a campaign finds it.
func (s *searched) whyNot() string {
	switch unjudged := s.unjudged(); {
	case s.Counts != "":
		return "no promise of a row depends on it"
	case unjudged != "":
		return unjudged
	case s.Entered == 0:
		return "no row has such a request, fault or option"
	case s.Killed == coveragePointKill:
		return "the coverage point comes about in no row that calls the function"
	}
	return "the bounds leave out what would follow"
}

// coveragePointKill is how campaigns call what they notice by a coverage point alone.
const coveragePointKill = "coverage point"

// unjudged says why a search would not judge what the campaign saw, empty if it would.
func (s *searched) unjudged() string {
	name, _, _ := strings.Cut(s.Campaign, " ")
	sc, err := testbed.FindScenario(name)
	if err != nil {
		return ""
	}
	clock := testbed.Clock{Mode: sc.Params.Clock.Mode, ToRest: true}
	timed := clock.Mode == sim.Timed
	if p, err := testbed.FindProperty(s.result.What); err == nil && s.result.What != explore.NoPanic && !p.Monitor.CanJudge(&clock) {
		return "a search does not judge the property"
	}
	if timed {
		return "it shows in runs with a clock, and in no row with one"
	}
	return ""
}

// byReason counts the mutants that are not found.
func byReason(out *strings.Builder, list []*searched) {
	count := map[string]int{}
	for _, s := range list {
		count[s.whyNot()]++
	}
	out.WriteString("\n| not found | why |\n|---:|---|\n")
	for _, why := range slices.SortedFunc(maps.Keys(count), func(a, b string) int { return cmp.Or(count[b]-count[a], strings.Compare(a, b)) }) {
		fmt.Fprintf(out, "| %d | %s |\n", count[why], why)
	}
}
