package watches

import (
	"slices"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/model"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
	"github.com/watchbed/watchbed/workload"
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
	New:     testbed.AfterStepsBy(func(s *testbed.System) *established { return &established{system: s} }, (*established).step, testbed.DrawnWatcherNode),
})

type established struct {
	system *testbed.System
	// at is, for each watch of each client, etcd's revision when the client was told that
	// the watch is established, 0 before.
	at [][]int64
}

// Reset implements testbed.Observer.
func (j *established) Reset() {
	for len(j.at) < len(j.system.DrawnWatchers()) {
		j.at = append(j.at, nil)
	}
	for i := range j.at {
		j.at[i] = j.at[i][:0]
	}
}

func (j *established) step(_ *sim.World, _ sim.Action, _ *testbed.Tally) {
	for i, c := range j.system.DrawnWatchers() {
		streams := c.Streams()
		for len(j.at[i]) < len(streams) {
			j.at[i] = append(j.at[i], 0)
		}
		if n := len(streams); n > 0 && streams[n-1].Established && j.at[i][n-1] == 0 {
			j.at[i][n-1] = max(j.system.Etcd().Revision(), j.system.Truth().Revision())
		}
	}
}

// Copy has seen what the same judge of another system has.
func (j *established) Copy(seen *established) *established {
	c := &established{j.system, make([][]int64, len(seen.at))}
	for i := range c.at {
		c.at[i] = slices.Clone(seen.at[i])
	}
	return c
}

// Digest is, for the last watch of each client, where etcd was when the client was told that the watch is established,
// how far the watch has come, and what else came. Those before it were judged with their last events.
func (j *established) Digest(d sim.Digest) sim.Digest {
	for i, c := range j.system.DrawnWatchers() {
		n := len(c.Streams())
		if n == 0 || n > len(j.at[i]) {
			d = d.Bool(false)
			continue
		}
		st := &c.Streams()[n-1]
		revision := reached(st)
		d = d.Bool(true).Int(j.at[i][n-1]).Int(revision)
		var came sim.Digest
		for _, e := range st.Events {
			if e.Item != nil && e.ResourceVersion > revision {
				came = came.And(sim.NewDigest.Int(e.ResourceVersion).Text(e.Item.Key))
			}
		}
		d = d.Fold(came)
	}
	return d
}

// Conclude implements testbed.Concluder.
func (j *established) Conclude(_ *sim.World, all *testbed.Tally) {
	for i, c := range j.system.DrawnWatchers() {
		for k := range c.Streams() {
			if st := &c.Streams()[k]; st.Request.Announce {
				j.judge(all, c.Name(), st, j.at[i][k])
			}
		}
	}
}

// judge judges one watch, of which the client was told at a revision that it is established, 0
// if it was not.
func (j *established) judge(all *testbed.Tally, client string, st *workload.ListStream, at int64) {
	if at == 0 {
		if n := len(st.Events); n > 0 && st.Events[0].Type != wire.Failed {
			all.Exercised++
			all.Violate("unannounced", testbed.Wrong(explore.Concern{Node: client, Revision: st.Events[0].ResourceVersion},
				"%s was sent an event of revision %d before it was told that its watch is established", client, st.Events[0].ResourceVersion))
		}
		return
	}
	if st.Request.ResourceVersion > 0 || st.Request.SendInitialEvents != wire.SendInitialEventsFalse {
		return
	}
	drawn, _ := drawnWatchOf(st)
	log := j.system.Truth().Log()
	for revision := at + 1; revision <= min(reached(st), log.Revision()); revision++ {
		for _, change := range drawn.request.Changes(log, revision) {
			if !model.InRange(change.Item.Key, drawn.request.Key, drawn.request.End) {
				continue
			}
			all.Exercised++
			if !slices.ContainsFunc(st.Events, func(e *wire.WatchEvent) bool {
				return e.Item != nil && e.ResourceVersion == revision && e.Item.Key == change.Item.Key
			}) {
				all.Violate("lost", testbed.Wrong(explore.Concern{Node: client, Revision: revision, Key: change.Item.Key},
					"%s was told that its watch is established when etcd was at revision %d, and was never sent the change of %s at revision %d",
					client, at, change.Item.Key, revision))
			}
		}
	}
}

// reached is the revision up to which a watch says that it has sent everything.
func reached(st *workload.ListStream) (revision int64) {
	for _, e := range st.Events {
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
