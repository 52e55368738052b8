package caches

import (
	"slices"
	"strings"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/properties/moments"
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
// does not allow, and by watches that are refused as such.
var InvalidRequests = testbed.RegisterProperty(&testbed.Property{
	Name: "invalid-requests", Kind: testbed.Safety,
	Promise:  "A LIST, GET or WATCH that the API does not allow is never served, and no WATCH that it allows is refused as invalid.",
	Violated: "invalid request served",
	Labels:   map[string]string{"served": "invalid request served", "refused": "valid request refused as invalid"},
	Monitor:  testbed.Monitor{Runs: testbed.Untimed},
	New:      testbed.RecordedBy(func(s *testbed.System) *invalidRequests { return &invalidRequests{askedOf{s, moments.Of(s)}} }, (*invalidRequests).judge),
})

type invalidRequests struct{ askedOf }

func (j *invalidRequests) judge(_ *sim.World, all *testbed.Tally) {
	for i, c := range j.system.Clients() {
		ops := c.Operations()
		for k := range ops {
			at := &j.moments.Operations(i)[k]
			if !validates(at) || !at.Over {
				continue
			}
			if wrong := j.wrong(at); wrong != "" {
				all.Exercised++
				if ops[k].Outcome == model.Done {
					all.Violate("served", testbed.Wrong(explore.Concern{Client: c.Name(), Call: ops[k].Call}, servedInvalid, c.Name(), at.Request.Label(), wrong))
				}
			}
		}
	}
	first := len(j.system.Watchers())
	for i, c := range j.system.ListWatchers() {
		j.watches(all, c.Name(), first+i, c.Streams())
	}
	first += len(j.system.ListWatchers())
	for i, c := range j.system.DrawnWatchers() {
		j.watches(all, c.Name(), first+i, c.Streams())
	}
}

// validates reports whether a call was to an API server whose cache is of this module: a
// node of another design may leave the rules to what stands before it.
func validates(at *moments.Call) bool { return at.Server != nil && !at.Server.Design.OwnNode() }

func (j *invalidRequests) watches(all *testbed.Tally, client string, watcher int, streams []workload.ListStream) {
	for k := range streams {
		s, at := &streams[k], &j.moments.Watches(watcher)[k]
		if !validates(at) {
			continue
		}
		err := failed(s.Events)
		wrong := j.wrongWatch(s.Request, at)
		invalid := err != nil && err.Code == wire.BadRequest
		if wrong != "" || invalid {
			all.Exercised++
		}
		switch {
		case wrong != "" && len(s.Events) > 0 && s.Events[0].Type != wire.Failed:
			all.Violate("served", testbed.Wrong(explore.Concern{Node: client}, servedInvalid, client, s.Request.Label(), wrong))
		case wrong == "" && invalid:
			all.Violate("refused", testbed.Wrong(explore.Concern{Node: client},
				"%s's %s is refused as invalid (%s), and the API allows it", client, s.Request.Label(), err.Message))
		}
	}
}

// wrong says what the API does not allow about a LIST or GET, nothing if it does.
func (j *invalidRequests) wrong(at *moments.Call) string {
	prefix := j.system.Caches()[at.Cache].Prefix()
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
		case !j.selects(r.Selector):
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
		return j.wrongToken(r, at)
	}
	return ""
}

// wrongToken is about a continue token and what stands beside it.
func (j *invalidRequests) wrongToken(r *wire.ListRequest, at *moments.Call) string {
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
func (j *invalidRequests) wrongWatch(r *wire.WatchRequest, at *moments.Call) string {
	initial := r.SendInitialEvents != wire.SendInitialEventsUnset
	switch {
	case !j.selects(r.Selector):
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
func (j *invalidRequests) selects(s wire.Selector) bool {
	known := j.system.Params().Workload.Drawn.Selectors && (s.Field == workload.IndexedField || s.Field == workload.UnindexedField)
	return (s.Field == "" || known) && (s.And == nil || j.selects(*s.And))
}

// servedInvalid is a request that was served although it is invalid.
const servedInvalid = "%s's %s is served, but %s"

// perServer is what follows from the options of each API server, made when it is first
// asked for: servers may have different options.
type perServer[T any] struct {
	make func(*testbed.Server) T
	made []ofServer[T]
}

type ofServer[T any] struct {
	server *testbed.Server
	rules  T
}

func (p *perServer[T]) of(s *testbed.Server) *T {
	for i := range p.made {
		if p.made[i].server == s {
			return &p.made[i].rules
		}
	}
	p.made = append(p.made, ofServer[T]{s, p.make(s)})
	return &p.made[len(p.made)-1].rules
}

// askedOf is for what judges a request by itself and by the design of the API server that it was
// sent to. That may be replaced before the answer comes, so that its design is not that of the state.
type askedOf struct {
	system  *testbed.System
	moments *moments.Recorder
}

// Digest implements testbed.MonitorState.
func (p askedOf) Digest(d sim.Digest) sim.Digest {
	for i := range p.system.Clients() {
		d = p.server(d, p.moments.Open(i))
	}
	for i := range len(p.system.Watchers()) + len(p.system.ListWatchers()) + len(p.system.DrawnWatchers()) {
		if all := p.moments.Watches(i); len(all) > 0 {
			d = p.server(d, &all[len(all)-1])
		}
	}
	return d
}

// server mixes in which of the API servers that follow each other a call was sent to.
func (p askedOf) server(d sim.Digest, at *moments.Call) sim.Digest {
	if at == nil || at.Over || at.Cache < 0 {
		return d
	}
	if all := p.system.Caches()[at.Cache].Servers(); len(all) > 1 {
		d = d.Int(int64(slices.Index(all, at.Server)))
	}
	return d
}
