package watches

import (
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// openWatch is a watch of a cache that a raw client has open.
type openWatch struct {
	client, prefix string
	// values is what the values of the objects look like that it selects.
	values model.ValuePattern
	cache  sim.NodeID
	// after is the resourceVersion from which on changes are owed to it, events are
	// those that were sent behind that.
	after  int64
	events []*wire.WatchEvent
}

// openWatches are all of a system. One that waits for the end of its initial events is
// not among them, nor is one whose client takes nothing more.
func openWatches(s *testbed.System) []openWatch {
	var all []openWatch
	for _, c := range s.Watchers() {
		if c.Watching() && !c.HasStopped() {
			st := &c.Streams()[len(c.Streams())-1]
			all = append(all, openWatch{c.Name(), c.Prefix(), c.Values(), c.To(), st.From, st.Events})
		}
	}
	for _, c := range s.ListWatchers() {
		n := len(c.Streams())
		if n == 0 || c.Streams()[n-1].Closed {
			continue
		}
		st := &c.Streams()[n-1]
		switch {
		case !st.IsList():
			all = append(all, openWatch{c.Name(), c.Prefix(), model.ValuePattern{}, st.To, st.Request.ResourceVersion, st.Events})
		case st.End >= 0:
			all = append(all, openWatch{c.Name(), c.Prefix(), model.ValuePattern{}, st.To, st.Events[st.End].ResourceVersion, st.Events[st.End+1:]})
		}
	}
	return all
}

// newestRevision is the newest resourceVersion that a client knows of, which knew of
// one before.
func newestRevision(before int64, events []*wire.WatchEvent) int64 {
	for _, e := range events {
		before = max(before, e.ResourceVersion)
	}
	return before
}
