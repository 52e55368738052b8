package caches

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/evidence"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/guard"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/testbed/plans"
	"github.com/watchbed/watchbed/workload"
)

// InvalidRequests holds answers against the rules of the API (ValidateListOptions and
// validateWatchOptions of the API machinery): a client with a mistake in its request has
// to hear of it, and does not if the server guesses what was meant. A request may be
// refused for another reason first. It is exercised by requests of a cache that the API
// does not allow, and by requests that are refused as such.
var InvalidRequests = testbed.RegisterProperty(&testbed.Property{
	Name: "invalid-requests", Kind: testbed.Safety,
	Promise:  "A LIST, GET or WATCH that the API does not allow is never served, and none that it allows is refused as invalid.",
	Violated: "invalid request served",
	Labels:   map[string]string{"served": "invalid request served", "refused": "valid request refused as invalid"},
	Monitor:  testbed.Monitor{Runs: testbed.Untimed, State: serversAsked},
	New:      evidence.Recorded(invalidRequests),
})

func invalidRequests(r *evidence.Recorder, _ *sim.World, all *testbed.Tally) {
	s := r.System()
	for o := range s.Operations() {
		at := r.Of(o)
		if !validates(at) || !at.Over {
			continue
		}
		wrong, invalid := wrongRead(s, at), isRead(at.Request) && o.Span.Code == wire.BadRequest
		if wrong != "" || invalid {
			all.Exercised++
		}
		switch {
		case wrong != "" && o.Outcome == model.Done:
			o.Violate(all, "served", servedInvalid, at.Request.Label(), wrong)
		case wrong == "" && invalid:
			o.Violate(all, "refused", refusedValid, at.Request.Label())
		}
	}
	for w := range s.Watches(testbed.ListWatcherNode, testbed.DrawnWatcherNode) {
		at := r.OfWatch(w)
		if !validates(at) {
			continue
		}
		err, wrong, about := w.Failed(), wrongWatch(s, w.Request, at), testbed.Concern{Node: w.Client}
		invalid := err != nil && err.Code == wire.BadRequest
		if wrong != "" || invalid {
			all.Exercised++
		}
		switch {
		case wrong != "" && len(w.Events) > 0 && w.Events[0].Type != wire.Failed:
			all.Violatef("served", about, servedInvalid, w.Client, w.Request.Label(), wrong)
		case wrong == "" && invalid:
			all.Violatef("refused", about, "%s's %s is refused as invalid (%s), and the API allows it", w.Client, w.Request.Label(), err.Message)
		}
	}
}

// servedInvalid is an invalid request that was served, refusedValid a valid request that was refused.
const (
	servedInvalid = "%s's %s is served, but %s"
	refusedValid  = "%s's %s is refused as invalid, and the API allows it"
)

// isRead reports whether a request is a LIST or GET.
func isRead(p sim.Payload) bool {
	switch p.(type) {
	case *wire.ListRequest, *wire.GetRequest:
		return true
	}
	return false
}

// validates reports whether a call was to an API server whose cache is of this module: a
// node of another design may leave the rules to what stands before it.
func validates(at *evidence.Call) bool { return at.Server != nil && !at.Server.Design.OwnNode() }

// wrongRead says what the API does not allow about a LIST or GET, nothing if it does.
func wrongRead(s *testbed.System, at *evidence.Call) string {
	prefix := s.Caches()[at.Cache].Prefix()
	switch r := at.Request.(type) {
	case *wire.GetRequest:
		switch {
		case len(r.Key) <= len(prefix) || r.Key[:len(prefix)] != prefix:
			return "the key is no object of the resource"
		case r.ResourceVersion < wire.Unset:
			return "the resourceVersion is negative"
		}
	case *wire.ListRequest:
		switch {
		case !strings.HasPrefix(r.Prefix+"/", prefix):
			return "the prefix is not of the resource"
		case !selects(s, r.Selector):
			return "the API does not know the field"
		case r.KeysOnly && !r.Selector.Empty():
			return "a selector looks at objects, and keys alone are asked for"
		case r.ResourceVersion < wire.Unset:
			return "the resourceVersion is negative"
		case r.Match > wire.MatchMostRecent,
			r.Match == wire.MatchMostRecent && !at.Server.Cache.Reads.Lists.MostRecent:
			return "there is no such resourceVersionMatch"
		case r.Match != wire.MatchUnset && r.ResourceVersion == wire.Unset:
			return "a resourceVersionMatch needs a resourceVersion"
		case r.Match == wire.MatchExact && r.ResourceVersion == 0:
			return "no state is of resourceVersion 0"
		case r.Match == wire.MatchMostRecent && (r.ResourceVersion != 0 || r.Continue != ""):
			return "MostRecent goes with resourceVersion 0 only"
		}
		return wrongToken(r, at)
	}
	return ""
}

// wrongToken is about a continue token and what stands beside it.
func wrongToken(r *wire.ListRequest, at *evidence.Call) string {
	strict := at.Server.Cache.Reads.Lists.ContinueRefusesVersion
	switch {
	case r.Continue == "":
	case r.Continue == plans.BadToken:
		return "the continue token is none"
	case r.Match == wire.MatchExact, r.Match != wire.MatchUnset && (r.ResourceVersion > 0 || strict):
		return "a resourceVersionMatch stands beside the continue token"
	case strict && r.ResourceVersion > 0:
		return "a resourceVersion stands beside the continue token"
	}
	return ""
}

// wrongWatch says what the API does not allow about a WATCH, nothing if it does.
func wrongWatch(s *testbed.System, r *wire.WatchRequest, at *evidence.Call) string {
	initial := r.SendInitialEvents != wire.SendInitialEventsUnset
	switch {
	case !selects(s, r.Selector):
		return "the API does not know the field"
	case r.ResourceVersion < wire.Unset:
		return "the resourceVersion is negative"
	case initial && at.Server.Cache.Guard.WatchList == guard.WatchListOff:
		return "the gate WatchList is off, and sendInitialEvents is given"
	case initial != (r.Match == wire.MatchNotOlderThan), !initial && r.Match != wire.MatchUnset:
		return "sendInitialEvents goes with resourceVersionMatch NotOlderThan, and neither without the other"
	}
	return ""
}

// selects reports whether the API knows a selector's fields.
func selects(s *testbed.System, by wire.Selector) bool {
	known := s.Params().Workload.Drawn.Selectors && (by.Field == workload.IndexedField || by.Field == workload.UnindexedField)
	return (by.Field == "" || known) && (by.And == nil || selects(s, *by.And))
}

// serversAsked is for what judges a request by itself and by the design of the API server that it was
// sent to. That may be replaced before the answer comes, so that its design is not that of the state.
func serversAsked(s *testbed.System, d sim.Digest) sim.Digest {
	r := evidence.Of(s)
	// server mixes in which of the API servers that follow each other a call was sent to.
	server := func(at *evidence.Call) {
		if at == nil || at.Over || at.Cache < 0 {
			return
		}
		if all := s.Caches()[at.Cache].Servers(); len(all) > 1 {
			d = d.Int(int64(slices.Index(all, at.Server)))
		}
	}
	for i := range s.Clients() {
		server(r.Open(i))
	}
	for _, at := range r.LastWatches() {
		server(at)
	}
	return d
}
