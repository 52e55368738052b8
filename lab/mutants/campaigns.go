package main

import (
	"fmt"
	"slices"
	"strings"

	// The bugs that must be found.
	_ "github.com/watchbed/watchbed/knownbugs"
	// The scenarios.
	_ "github.com/watchbed/watchbed/scenarios"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// Campaign is a scenario with its parameters.
type Campaign struct {
	Name     string
	Scenario *testbed.Scenario
	Params   testbed.Params
}

// healthy are releases of etcd that are fixed, beside designs of the cache.
// Scenarios take turns with them.
var healthy = []struct{ etcd, cache string }{
	{"3.6.16", "kep-4988"},
	{"3.5.35", "kep-2340-fallback"},
	{"3.7.3", "v0.37.2"},
	{"3.4.45", "kep-2340"},
	{"3.6.5", "draft-2019"},
	{"3.5.35", "kep-4988"},
	{"3.6.16", "kep-3157"},
	{"3.7.3", "progress-echo"},
	{"3.6.16", "accumulated-reads"},
}

// turns is how many of them a scenario takes.
const turns = 3

// alternatives are the scenarios in which each value of each option of a node is tried, those of known bugs as well:
// between them they make most requests of the node. What a bug must leave as it is shows where it is not looked for.
var alternatives = []struct{ node, scenario string }{
	{"cache", "every-read"},
	{"cache", "paged-lists"},
	{"cache", "watch-list"},
	{"etcd", "every-read"},
	{"etcd", "watch-guarantees"},
	{"etcd", "previous-values"},
	{"client", "errors-at-rest"},
	{"informers", "informer-handlers-relist"},
	{"compactor", "snapshot-reads"},
}

// matters are the options whose values differ only where a channel is full, a watch ends, etcd sends no progress by
// itself, or its members are of several versions, and the scenarios in which that is so.
var matters = []struct{ option, scenario string }{
	{"initial-events-buffer", "watch-list-slow"},
	{"initial-events-buffer", "watch-list-full"},
	{"initial-events-buffer", "full-watches-at-rest"},
	{"initial-events-buffer", "watch-list-behind"},
	{"watch-list-detection", "watch-list-without-progress"},
	{"watch-delegation", "watches-at-rest"},
	{"watch-delegation", "watch-list-slow"},
	{"pagination", "selected-lists"},
	{"slow-watchers", "stalled-watches"},
	{"slow-watchers", "stalled-watches-end"},
	{"slow-watchers", "stalled-watches-relist"},
	{"slow-watchers", "watch-list-held-up"},
	{"version-check", "guard-mixed-members"},
	{"version-check", "guard-unasked-member"},
	{"version-check", "guard-downgrade"},
}

// further are scenarios with a release, with amounts or with two options together that none of the others has: a
// release that remembers one progress request, a limit on the memory of answers, seats of reads that share one question
// for etcd's revision, more watches that come back at a compacted revision, handlers of shared informers that are added
// after the time by default, more slow watches than one pass catches up, with room for one event to three, as many handlers
// as an informer may have, and a cache that waits for the echo of its request on a stream with another.
var further = []struct {
	scenario, etcd string
	settings       []option.Setting
}{
	{"any-etcd-requests", "3.5.12", nil},
	{"watch-guarantees", "3.5.12", nil},
	{"informer-memory", "3.6.16", option.Settings("informer-list=list-watch", "network=200ms", "answers-limit=1")},
	{"seats", "3.6.16", option.Settings("revision-sharing=accumulated")},
	{"compacted-watch-history", "3.6.16", option.Settings("compactions=8", "watchers=6")},
	{"informer-handlers", "3.6.16", option.Settings("mode=timed", "horizon=30s", "network=100ms", "scheduling=10ms", "informer-resync=500ms")},
	{"stalled-watches", "3.6.16", option.Settings("slow-watchers=groups", "catch-up-watchers=1", "watch-buf=3")},
	{"informer-handlers", "3.6.16", option.Settings("informer-handlers=98")},
	{"consistent-list", "3.6.16", option.Settings("progress-requests=echo", "resources=2", "shared-stream=true")},
}

// Campaigns are all: each scenario with its own parameters and with some of those
// that are healthy, each value of an option of the cache, some draws of each scenario that
// has draws, and each known bug in the scenarios that show it.
func Campaigns() []*Campaign {
	var all []*Campaign
	for i, sc := range testbed.Scenarios() {
		all = append(all, newCampaign(sc, sc.Params))
		for turn := range turns {
			p := sc.Params
			p.Etcd, p.Cache = healthyFor(sc, i+turn*turns)
			if p.Etcd == sc.Params.Etcd && p.Cache == sc.Params.Cache {
				continue
			}
			if _, err := sc.New(p); err == nil {
				all = append(all, newCampaign(sc, p))
			}
		}
	}
	for _, sc := range otherNodes {
		all = append(all, newCampaign(sc, sc.Params))
	}
	for _, a := range alternatives {
		if sc, err := testbed.FindScenario(a.scenario); err == nil {
			all = append(all, valuesIn(sc, func(c *testbed.Choice) bool { return c.Node == a.node })...)
		}
	}
	for _, m := range matters {
		if sc, err := testbed.FindScenario(m.scenario); err == nil {
			all = append(all, valuesIn(sc, func(c *testbed.Choice) bool { return c.Name == m.option })...)
		}
	}
	for _, x := range further {
		if sc, err := testbed.FindScenario(x.scenario); err == nil {
			all = append(all, with(sc, x.etcd, x.settings)...)
		}
	}
	for i, sc := range testbed.Scenarios() {
		if len(sc.Draws) > 0 {
			all = append(all, drawnFrom(sc, i)...)
		}
	}
	for _, b := range testbed.KnownBugs() {
		for _, sc := range append([]*testbed.Scenario{b.Scenario}, b.Also...) {
			p := sc.Params
			p.Bugs = []string{b.Name}
			all = append(all, newCampaign(sc, p))
		}
	}
	return all
}

// valuesIn has a campaign for each value that the scenario does not have by itself of some options of nodes.
func valuesIn(sc *testbed.Scenario, of func(*testbed.Choice) bool) []*Campaign {
	own, err := sc.Params.Setup()
	if err != nil {
		return nil
	}
	var all []*Campaign
	for _, c := range own.Nodes.Choices() {
		if !of(&c) {
			continue
		}
		for _, value := range c.Values {
			p, err := sc.Params.With(c.Name, value)
			if err != nil || c.Value == value {
				continue
			}
			if _, err := sc.New(p); err == nil {
				all = append(all, newCampaign(sc, p))
			}
		}
	}
	return all
}

// with is a scenario with another release and settings.
func with(sc *testbed.Scenario, etcd string, settings []option.Setting) []*Campaign {
	p, name := sc.Params, fmt.Sprintf("%s --etcd %s", sc.Name, etcd)
	p.Etcd = etcd
	for _, s := range settings {
		var err error
		if p, err = p.With(s.Name, s.Value); err != nil {
			return nil
		}
		name += fmt.Sprintf(" --set %s", s)
	}
	return []*Campaign{{name, sc, p}}
}

// drawn is how many draws of a scenario there are.
const drawn = 24

// drawnFrom has a campaign for each of some draws. What is healthy takes turns in half of them; the others keep what
// the scenario has, which may be about a release.
func drawnFrom(sc *testbed.Scenario, i int) []*Campaign {
	var all []*Campaign
	for n := range uint64(drawn) {
		p, err := sc.Draw(n, func(p *testbed.Params) error {
			if n%2 == 0 {
				p.Etcd, p.Cache = healthyFor(sc, i+int(n))
			}
			return nil
		})
		if err == nil {
			all = append(all, &Campaign{fmt.Sprintf("%s --draw %d --etcd %s --cache %s", sc.Name, n, p.Etcd, p.Cache), sc, p})
		}
	}
	return all
}

// healthyFor are the release and the design of a scenario's turn. A scenario of an unlisted design keeps that.
func healthyFor(sc *testbed.Scenario, turn int) (release, design string) {
	h := healthy[turn%len(healthy)]
	if d, err := cache.FindDesign(sc.Params.Cache); err == nil && d.Unlisted {
		return h.etcd, d.Name
	}
	return h.etcd, h.cache
}

func newCampaign(sc *testbed.Scenario, p testbed.Params) *Campaign {
	name := fmt.Sprintf("%s --etcd %s --cache %s", sc.Name, p.Etcd, p.Cache)
	for _, s := range p.Settings {
		if !slices.Contains(sc.Params.Settings, s) {
			name = fmt.Sprintf("%s --set %s", sc.Name, s)
		}
	}
	if len(p.Bugs) > 0 {
		name = fmt.Sprintf("%s --bug %s", sc.Name, strings.Join(p.Bugs, ","))
	}
	return &Campaign{name, sc, p}
}
