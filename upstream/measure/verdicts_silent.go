package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/watchbed/watchbed/sim/option"
	"github.com/watchbed/watchbed/testbed"
)

// unjudgedInGuests is why a property is never checked over a guest: what it looks at, a guest does not show.
var unjudgedInGuests = map[string]string{
	"bookmarks-come":      "a world with a guest never comes to rest: the guest's timers go on",
	"watches-keep-up":     "a world with a guest never comes to rest: the guest's timers go on",
	"etcd-nothing-left":   "a world with a guest never comes to rest: the guest's timers go on",
	"comes-to-rest":       "a world with a guest never comes to rest: the guest's timers go on",
	"nothing-left":        "a guest does not show what it has in memory beside its contents",
	"timers-owned":        "a guest has one timer for all that it waits for",
	"pages-in-time":       "a guest keeps no pages",
	"backlog-bounded":     "a guest does not show what the channels of its watchers hold",
	"cache-resumes":       "a guest does not show how its watches of etcd ended",
	"relists-in-time":     "a guest does not show when its reflector lists",
	"starts-as-checked":   "a guest starts whatever etcd's version is",
	"seats-kept":          "API Priority and Fairness stands before the storage and is not in the guest",
	"etcd-within-seats":   "API Priority and Fairness stands before the storage and is not in the guest",
	"invalid-requests":    "the rules for requests stand before the storage",
	"client-bounded":      ownClient,
	"client-nothing-left": ownClient,
}

// theGuest stands in place of an option where a scenario is about what etcd or the client library does, and the guest
// does otherwise.
const theGuest = "the guest"

// missed are the scenarios that are about an option which does not reach a guest, or about what it does not do.
// Whatever their claims come to, they say nothing about what they are for.
var missed = []miss{
	{"backpressure", "watch-buf", "the channels of a guest's watchers are as large as shipped, and never full here"},
	{"kept-pages", "pagination", "no pages are kept"},
	{"bounded-pages", "pagination", "no pages are kept"},
	{"unfinished-pages", "pagination", "no pages are kept"},
	{"delegated-watches", "watch-delegation", "the cacher serves all watches itself"},
	{"watch-list-slow", "watch-buf", "the channels of a guest's watchers are as large as shipped, and never full here"},
	{"watch-list-full", "watch-buf", "the channels of a guest's watchers are as large as shipped, and never full here"},
	{"watch-list-held-up", "watch-buf", "the channels of a guest's watchers are as large as shipped, and never full here"},
	{"full-watches-at-rest", "watch-buf", "the channels of a guest's watchers are as large as shipped, and never full here"},
	{"guard-locked-gate", "consistent-list-from-cache", "the gates of a guest are as shipped"},
	{"guard-insists", "consistent-list-from-cache", "the gates of a guest are as shipped"},
	{"guard-cascade-limited", "delegated-limit", "the cacher limits nothing"},
	{"seats", "seats", "API Priority and Fairness is not in the guest"},
	{"seats-any-requests", "seats", "API Priority and Fairness is not in the guest"},
	{"seats-waits", "seats", "API Priority and Fairness is not in the guest"},
	{"seats-fallback", "seats", "API Priority and Fairness is not in the guest"},
	{"defragmented-member", "seats", "API Priority and Fairness is not in the guest"},
	{"informer-most-recent", "most-recent", "the API has no resourceVersionMatch=MostRecent"},
	{"streamed-start", theGuest, "an etcd 3.6 has no range streams; in front of 3.7.3 it has"},
	{"streamed-lists", theGuest, "an etcd 3.6 has no range streams; in front of 3.7.3 it has"},
	{"concurrent-decoding", theGuest, "it can decode all objects"},
	{"never-initialises", theGuest, "it decodes in no time"},
	{"informer-never-syncs", theGuest, "it decodes in no time"},
	{"memory-feedback", "memory-limit", "the memory of a guest has no limit that it reaches"},
	{"memory-fallback", "memory-limit", "the memory of a guest has no limit that it reaches"},
	{"memory-suffices", "memory-limit", "the memory of a guest has no limit that it reaches"},
	{"memory-of-streams", "memory-limit", "the memory of a guest has no limit that it reaches"},
	{"rollout-gate", "consistent-list-from-cache", "the gates of a guest are as shipped"},
	{"compacted-watch-history", "watch-history", "the cacher keeps its history of events whatever etcd compacts"},
	{"consistency-checks", "inconsistency-detector", "the cacher has no such detector"},
	{"detectors", "inconsistency-detector", "the cacher has no such detector"},
}

// miss is a scenario that is about an option.
type miss struct{ scenario, option, because string }

// streamed are scenarios that say what they are for in front of an etcd that streams.
var streamed = []string{"streamed-start", "streamed-lists"}

// missOf is the entry of a row's scenario, nil if it has none.
func missOf(r *verdictRow) *miss {
	if r.Etcd == streams && slices.Contains(streamed, r.Scenario) {
		return nil
	}
	if i := slices.IndexFunc(missed, func(m miss) bool { return m.scenario == r.Scenario }); i >= 0 {
		return &missed[i]
	}
	return nil
}

// dropped are the settings of a scenario that do not reach a guest, and say something else than what it does anyway.
func dropped(sc *testbed.Scenario) ([]option.Setting, error) {
	p := verdictParams(sc, fronts[0])
	has, err := p.Nodes()
	if err != nil {
		return nil, err
	}
	settings := slices.Clone(sc.Params.Settings)
	for _, text := range sc.Params.Topology.ServerSettings {
		_, setting, _ := strings.Cut(text, ":")
		s, err := option.ParseSetting(setting)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", sc.Name, err)
		}
		settings = append(settings, s)
	}
	return slices.DeleteFunc(settings, func(s option.Setting) bool {
		return p.Ignores(s.Name, s.Value) == "" || has.Value(s.Name) == s.Value
	}), nil
}

// unasked is why a scenario never checks a property over a guest, by scenario and property.
var unasked = map[[2]string]string{
	{"recovery", "reopens-in-time"}:              ownClient,
	{"partitions", "reopens-in-time"}:            ownClient,
	{"failed-checks", "reopens-in-time"}:         ownClient,
	{"competing-compactors", "reopens-in-time"}:  "the stream of no compactor had to be opened again in so few schedules",
	{"watch-list-ends", "reopens-in-time"}:       ownClient,
	{"compacted-pages", "second-token"}:          "no page was refused in so few schedules",
	{"compacted-selections", "second-token"}:     "no page was refused in so few schedules",
	{"watch-list-six-seconds", "initial-events"}: "an etcd 3.5.7 is not trusted, so that all watches with initial events are refused",
	{"slow-watches", "watch-ends"}:               "what is under way to a client has no bound, so that no watch is ended",
}

const ownClient = "the property looks into the simulated client library, and a guest has clientv3 itself"
