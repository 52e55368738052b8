package watches

import (
	"slices"

	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// Established is what a client may rely on that watches from now on, without the present
// state: it has its watch when the HTTP 200 comes (cacher.Watch has returned), and then begins
// to write, or reads once what it needs. A write that was committed before the client heard of
// the 200 may be before the beginning of the watch, even if it is answered later. What the
// watch has not come to yet is not judged. It is exercised by each write after the 200 that the
// watch has come to, and by the first event of a watch.
var Established = testbed.RegisterProperty(&testbed.Property{
	Name: "established", Kind: testbed.Safety,
	Promise: "A watch from now on is sent each change that etcd commits after the client was told that the watch is established, " +
		"and nothing before that.",
	Violated: "established watch misses a write",
	Labels: map[string]string{
		"lost": "established watch misses a write", "unannounced": "event before the 200",
	},
	Monitor: testbed.Monitor{Runs: testbed.Untimed},
	New:     testbed.Each(testbed.DrawnWatcherNode, noteEstablished),
})

// established is, for each watch of a client, etcd's revision when the client was told that
// the watch is established, 0 before.
type established struct{ at []int64 }

func noteEstablished(s *testbed.System, _ *sim.World, client int, told *established, _ *testbed.Tally) {
	streams := s.DrawnWatchers()[client].Streams()
	for len(told.at) < len(streams) {
		told.at = append(slices.Clip(told.at), 0)
	}
	if n := len(streams); n > 0 && streams[n-1].Established && told.at[n-1] == 0 {
		told.at[n-1] = max(s.Etcd().Revision(), s.Truth().Revision())
	}
}

// Clone is a copy that shares no memory.
func (told *established) Clone() established { return established{slices.Clone(told.at)} }

// Digest is, for the last watch of a client, where etcd was when the client was told that the watch is established,
// how far the watch has come, and what else came. Those before it were judged with their last events.
func (told *established) Digest(s *testbed.System, client int, d sim.Digest) sim.Digest {
	streams := s.DrawnWatchers()[client].Streams()
	n := len(streams)
	if n == 0 || n > len(told.at) {
		return d.Bool(false)
	}
	revision := reached(streams[n-1].Events)
	d = d.Bool(true).Int(told.at[n-1]).Int(revision)
	var came sim.Digest
	for _, e := range streams[n-1].Events {
		if e.Item != nil && e.ResourceVersion > revision {
			came = came.And(sim.NewDigest.Int(e.ResourceVersion).Text(e.Item.Key))
		}
	}
	return d.Fold(came)
}

// Conclude judges the watches of a client.
func (told *established) Conclude(s *testbed.System, _ *sim.World, client int, all *testbed.Tally) {
	first := len(s.Watchers()) + len(s.ListWatchers())
	for w := range s.Watches(testbed.DrawnWatcherNode) {
		if w.Place == first+client && w.Request.Announce {
			announced(s.Truth().Log(), all, w, told.at[w.Number])
		}
	}
}

// announced judges one watch, of which the client was told at a revision that it is established, 0
// if it was not.
func announced(log *model.Log, all *testbed.Tally, w *testbed.Watch, at int64) {
	if at == 0 {
		if len(w.Events) > 0 && w.Events[0].Type != wire.Failed {
			all.Exercised++
			first := w.Events[0].ResourceVersion
			all.Violatef("unannounced", testbed.Concern{Node: w.Client, Revision: first},
				"%s was sent an event of revision %d before it was told that its watch is established", w.Client, first)
		}
		return
	}
	if w.Request.ResourceVersion > 0 || w.Request.SendInitialEvents != wire.SendInitialEventsFalse {
		return
	}
	r, _ := requestOf(w)
	for revision := at + 1; revision <= min(reached(w.Events), log.Revision()); revision++ {
		for _, change := range r.Changes(log, revision) {
			if !model.InRange(change.Item.Key, r.Key, r.End) {
				continue
			}
			all.Exercised++
			if !slices.ContainsFunc(w.Events, func(e *wire.WatchEvent) bool {
				return e.Item != nil && e.ResourceVersion == revision && e.Item.Key == change.Item.Key
			}) {
				all.Violatef("lost", testbed.Concern{Node: w.Client, Revision: revision, Key: change.Item.Key},
					"%s was told that its watch is established when etcd was at revision %d, and was never sent the change of %s at revision %d",
					w.Client, at, change.Item.Key, revision)
			}
		}
	}
}

// reached is the revision up to which a watch says that it has sent everything.
func reached(events []*wire.WatchEvent) (revision int64) {
	for _, e := range events {
		switch e.Type {
		case wire.Failed:
		case wire.Bookmark:
			revision = max(revision, e.ResourceVersion)
		default:
			// Other events of the same revision may follow.
			revision = max(revision, e.ResourceVersion-1)
		}
	}
	return revision
}
