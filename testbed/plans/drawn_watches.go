package plans

import (
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed/topology"
	"github.com/watchbed/watchbed/workload"
)

// The features of a client that watches a cache.
const (
	watchesScopes feature = iota
	watchesFromVersions
	matchesVersions
	wantsInitialEvents
	allowsBookmarks
	limitsTime
	watchesSelections
	watchesLabels
	watchesTerms
	watchesSingles
)

var watchFeatures = []string{
	watchesScopes: "namespaces", watchesFromVersions: "resourceVersions", matchesVersions: "matches",
	wantsInitialEvents: "initial events", allowsBookmarks: "bookmarks", limitsTime: "timeouts",
	watchesSelections: "selectors", watchesLabels: "labels",
	watchesTerms: "selectors of several terms", watchesSingles: "single objects",
}

// DrawnWatches are watches of the i-th client, with any options.
func DrawnWatches(o *workload.Options, t *topology.Topology, i int) workload.DrawWatches {
	p := &planner{o: o, t: t}
	d := &o.Drawn
	features := without(watchFeatures,
		optional{watchesSelections, d.Selectors}, optional{watchesLabels, d.Selectors && d.Labels}, optional{watchesTerms, d.Selectors && d.Terms},
		optional{watchesSingles, d.Singles})
	return func(env *sim.Env) []*wire.WatchRequest {
		s := drawSwarm(sourceOf(d, env, ofWatchers, i), features)
		var all []*wire.WatchRequest
		scopes := p.scopes(i)
		for range o.Drawn.Requests {
			req := &wire.WatchRequest{
				Prefix:            scopes[s.draw(watchesScopes, len(scopes), "prefix")],
				ResourceVersion:   p.anyVersion(s, watchesFromVersions),
				SendInitialEvents: wire.SendInitialEvents(s.draw(wantsInitialEvents, 3, "sendInitialEvents")),
				AllowBookmarks:    s.flip(allowsBookmarks, "bookmarks"),
				TimeoutSeconds:    int64(s.draw(limitsTime, 3, "timeout")),
			}
			req.Selector = anySelector(s, watchesSelections, watchesLabels, watchesTerms)
			if s.flip(watchesSingles, "single") {
				req.Single, req.Prefix = true, p.anyObject(s, i)
			}
			req.Match = anyMatch(s, req.SendInitialEvents)
			all = append(all, req)
		}
		return all
	}
}

// UnversionedWatch is the one watch of the i-th client that gives no resourceVersion and
// does not ask for initial events.
func UnversionedWatch(t *topology.Topology, i int) workload.DrawWatches {
	request := &wire.WatchRequest{Prefix: topology.Prefix(i % t.Resources), ResourceVersion: wire.Unset, AllowBookmarks: true}
	return func(*sim.Env) []*wire.WatchRequest { return []*wire.WatchRequest{request} }
}

// PresentWatches are the watches of the i-th client that begin now and without the present
// state. Which clients watch with resourceVersion "0" first alternates.
func PresentWatches(o *workload.Options, t *topology.Topology, i int) workload.DrawWatches {
	var all []*wire.WatchRequest
	for k := range o.Presents {
		req := &wire.WatchRequest{
			Prefix: topology.Prefix(i % t.Resources), ResourceVersion: wire.Unset, Match: wire.MatchNotOlderThan,
			SendInitialEvents: wire.SendInitialEventsFalse, AllowBookmarks: true, Announce: true,
		}
		if (i+k)%2 == 1 {
			req.ResourceVersion = 0
		}
		all = append(all, req)
	}
	return func(*sim.Env) []*wire.WatchRequest { return all }
}

// anyMatch is the only match that the API takes with these initial events, or now and
// then any other.
func anyMatch(s *swarm, initial wire.SendInitialEvents) wire.ResourceVersionMatch {
	right := wire.MatchUnset
	if initial != wire.SendInitialEventsUnset {
		right = wire.MatchNotOlderThan
	}
	wrong := max(0, s.draw(matchesVersions, 6, "match")-3)
	return (right + wire.ResourceVersionMatch(wrong)) % 4
}
