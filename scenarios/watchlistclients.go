package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/workload"
)

// WatchListEnds is the property that in the liveness phase every watch with
// initial events is sent their end within a bound.
const WatchListEnds = "watch-list-ends"

// WatchListParams are about raw clients that ask for initial events (KEP-3157).
type WatchListParams struct {
	// Clients is how many there are, Rounds how often each asks.
	Clients, Rounds int
	// RV is the resourceVersion that they ask for: "unset", "0", "given" (the newest
	// that the client knows), or "every": one way after the other.
	RV string
	// Slow clients take one event at a time, Pace apart when timed.
	Slow bool
	Pace time.Duration
	// Cap bounds the channel of a watcher, in bytes of keys and values, where
	// initial-events-buffer=cap; 0 is 2 MB.
	Cap int
	// Within is how soon the end has to come for watch-list-ends; 0 derives it from
	// the declared delays.
	Within time.Duration
}

var watchListSettings = []setting{
	intSetting("list-watchers", "clients that ask for initial events", func(p *Params) *int { return &p.WatchList.Clients }),
	intSetting("list-rounds", "times that each of them asks", func(p *Params) *int { return &p.WatchList.Rounds }),
	textSetting("list-rv", "resourceVersion that they ask for: unset, 0, given, every",
		func(p *Params) *string { return &p.WatchList.RV }, checkListRV),
	boolSetting("list-slow", "they take one event at a time", func(p *Params) *bool { return &p.WatchList.Slow }),
	durationSetting("list-pace", "time between two of these, timed", func(p *Params) *time.Duration { return &p.WatchList.Pace }),
	intSetting("list-cap", "bytes of keys and values in the channel of a watcher with initial-events-buffer=cap (0: 2 MB)", func(p *Params) *int { return &p.WatchList.Cap }),
	durationSetting("list-within", "how soon initial events have to end, timed (0: derived from the delays)", func(p *Params) *time.Duration { return &p.WatchList.Within }),
}

func checkListRV(v string) error {
	if _, ok := listVersions[v]; !ok {
		return fmt.Errorf("list-rv=%s: want unset, 0, given or every", v)
	}
	return nil
}

var listVersions = map[string][]int64{
	"": {wire.Unset}, "unset": {wire.Unset}, "0": {0}, "given": {workload.Given}, "every": {wire.Unset, 0, workload.Given},
}

// listWatchers are the raw clients of a system.
type listWatchers struct {
	nodes []*workload.ListWatcher
	plans []workload.ListWatchPlan
	first sim.NodeID
	bound Bound

	// asked is, for each stream of each client, etcd's revision when it was asked
	// for.
	asked      [][]int64
	waitedFrom int
	items      []*wire.KeyValue
}

// listRetries is how often a client asks again that was not sent the end: enough
// for every fault of the catalogue.
const listRetries = 8

func (n *listWatchers) configure(s *System) {
	p := &s.params
	for i := range p.WatchList.Clients {
		plan := workload.ListWatchPlan{
			Prefix: prefixOf(i % p.resources()), First: s.initial.Revision, Rounds: p.WatchList.Rounds, Retries: listRetries,
			Slow: p.WatchList.Slow, Pace: p.WatchList.Pace, Follow: s.think(), AwaitReady: p.AwaitReady,
		}
		versions := listVersions[p.WatchList.RV]
		for j := range versions {
			plan.Versions = append(plan.Versions, versions[(i+j)%len(versions)])
		}
		for j := range s.servers {
			plan.To = append(plan.To, s.cacheNode(i+j, i))
		}
		n.plans = append(n.plans, plan)
		n.nodes = append(n.nodes, new(workload.ListWatcher))
		n.asked = append(n.asked, nil)
	}
	if len(n.nodes) > 0 {
		s.wantsLog = true
	}
	n.bound = s.watchListBound()
}

// watchListBound: the cache has to be as fresh as for a consistent LIST, and then
// sends its objects one by one. The client sends its request and is sent the
// first event: that is in the bound of a LIST.
func (s *System) watchListBound() Bound {
	p := &s.params
	if p.WatchList.Within > 0 {
		return Bound{p.WatchList.Within, "as the scenario has it"}
	}
	b := boundOf(p, s.behaviours.Cache.ProgressRequests)
	sent := p.Items + p.Writers*p.Writes + p.OwnReaders*p.Rounds + 1
	b.Total += time.Duration(sent)*(2*p.Scheduling+p.Network) + time.Duration(sent)*p.WatchList.Pace
	b.Derivation += fmt.Sprintf(", and %d events one after the other, with two turns of a loop and a message each", sent)
	if s.behaviours.Cache.WatchList.InitialEventsEnd == cache.EndByTimer {
		b.Total += bookmarkTimer
		b.Derivation += fmt.Sprintf(", and a bookmark timer of at most %v", bookmarkTimer)
	}
	return b
}

// bookmarkTimer is the cacher's, with its jitter.
const bookmarkTimer = 1250 * time.Millisecond

func (n *listWatchers) build(w *sim.World) {
	for i, c := range n.nodes {
		c.Reset(numbered("list-watcher", i, len(n.nodes)), n.plans[i])
		if id := w.Add(c.Name(), c); i == 0 {
			n.first = id
		}
		n.asked[i] = n.asked[i][:0]
	}
	n.waitedFrom = 0
}

// after notes where etcd is when a client asks.
func (n *listWatchers) after(s *System) {
	for i, c := range n.nodes {
		for len(n.asked[i]) < len(c.Streams()) {
			n.asked[i] = append(n.asked[i], s.server.Revision())
		}
	}
}

// done as with informers: all have had their rounds, or have been waited for long
// enough.
func (n *listWatchers) done(w *sim.World) bool {
	if n.waitedFrom == 0 {
		n.waitedFrom = w.Steps()
	}
	if w.Mode() == sim.Untimed && w.Steps() > n.waitedFrom+patience {
		return true
	}
	return !slices.ContainsFunc(n.nodes, func(c *workload.ListWatcher) bool { return !c.Done() })
}

// initialEvents holds what each client was sent up to the end of its initial
// events to the store at that revision, on top of what informers were sent.
func (n *listWatchers) initialEvents(log *model.Log, into invariant) explore.Finding {
	for i, c := range n.nodes {
		for j := range c.Streams() {
			st := &c.Streams()[j]
			if st.End < 0 {
				continue
			}
			into.exercised++
			end := st.Events[st.End].ResourceVersion
			if different := compare(c.Name(), end, c.Prefix(), n.collected(st), log); different != nil {
				into.violated(different.label(), different)
			}
			least := st.Request.ResourceVersion
			if least == wire.Unset {
				least = n.asked[i][j]
			}
			if end < least {
				into.violated("stale", &staleEnd{c.Name(), st.Request.ResourceVersion == wire.Unset, end, least})
			}
		}
	}
	return into.finding(InitialEvents)
}

// collected is what a client has by the end of the initial events: what a reflector
// would keep, event by event.
func (n *listWatchers) collected(st *workload.ListStream) func(func(*wire.KeyValue) bool) {
	n.items = n.items[:0]
	for _, e := range st.Events[:st.End] {
		if e.Item == nil {
			continue
		}
		at, found := slices.BinarySearchFunc(n.items, e.Item.Key, func(kv *wire.KeyValue, key string) int { return cmp.Compare(kv.Key, key) })
		switch {
		case found && e.Type == wire.Deleted:
			n.items = slices.Delete(n.items, at, at+1)
		case found:
			n.items[at] = e.Item
		case e.Type != wire.Deleted:
			n.items = slices.Insert(n.items, at, e.Item)
		}
	}
	return func(f func(*wire.KeyValue) bool) {
		for _, kv := range n.items {
			if !f(kv) {
				return
			}
		}
	}
}

// ends judges watch-list-ends. A watch that the cache refuses or ends is not
// one that hangs, but it is not sent the end either.
func (n *listWatchers) ends(w *sim.World) explore.Finding {
	var all invariant
	for _, c := range n.nodes {
		for j := range c.Streams() {
			st := &c.Streams()[j]
			if !st.IsList() || st.Phase != sim.Liveness {
				continue
			}
			late := &lateEnd{client: c.Name(), stream: st, bound: n.bound}
			switch {
			case st.End >= 0:
				late.took = st.Ended.Sub(st.Began)
			case st.Closed:
				late.refused = true
			default:
				late.took = w.Now().Sub(st.Began)
			}
			switch {
			case late.refused:
				all.violated("refused", late)
			case late.took > n.bound.Total && st.End >= 0:
				all.violated("late", late)
			case late.took > n.bound.Total:
				all.violated("no-end", late)
			}
			if st.End >= 0 {
				all.exercised++
			}
		}
	}
	return all.finding(WatchListEnds)
}

// lateEnd is a watch that was not sent the end of its initial events in time.
type lateEnd struct {
	client  string
	stream  *workload.ListStream
	took    time.Duration
	refused bool
	bound   Bound
}

func (l *lateEnd) String() string {
	what := fmt.Sprintf("was sent the end of its initial events after %v", l.took)
	switch {
	case l.refused:
		what = "was ended before the end of its initial events"
	case l.stream.End < 0:
		what = fmt.Sprintf("still waits for the end of its initial events after %v", l.took)
	}
	return fmt.Sprintf("%s's %s at %v %s; it should have been sent within %v (%s)",
		l.client, l.stream.Request.Label(), l.stream.Began.Sub(0), what, l.bound.Total, l.bound.Derivation)
}

// streams says what a client recorded after the end of its initial events in the
// words of the contract.
func (n *listWatchers) streams(c *workload.ListWatcher) []model.WatchStream {
	var all []model.WatchStream
	for i := range c.Streams() {
		st := &c.Streams()[i]
		after, events := st.Request.ResourceVersion, st.Events
		if st.IsList() {
			if st.End < 0 {
				continue
			}
			after, events = events[st.End].ResourceVersion, events[st.End+1:]
		}
		m := model.WatchStream{Listed: st.IsList(), Request: model.WatchRequest{
			Key: c.Prefix(), End: model.PrefixEnd(c.Prefix()), StartRevision: after + 1, ProgressNotify: true}}
		for _, e := range events {
			m.Responses = append(m.Responses, cacheResponse(e))
		}
		all = append(all, m)
	}
	return all
}
