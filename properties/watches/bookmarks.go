package watches

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/watchbed/watchbed/explore"
	"github.com/watchbed/watchbed/sim"
	"github.com/watchbed/watchbed/sim/cache/dispatch"
	"github.com/watchbed/watchbed/sim/wire"
	"github.com/watchbed/watchbed/testbed"
)

// BookmarksCome looks at the watches of a cache when nothing more can happen, so that
// every bookmark timer has fired: bookmarks must have brought each watch that allows
// them, with or without initial events, to the resourceVersion of the cache, which
// progress may have raised without an event (allowWatchBookmarks). Upstream sends no
// bookmark at the resourceVersion of the last event before which a watch began
// (cacheWatcher.process), and it would say nothing new. A cache whose watches etcd
// serves sends none. With selectors the client may not know that version, since the
// event was not for it: selected-lists does not claim the property. Nor do scenarios in
// which a client takes nothing for long. It is exercised by open watches that were sent a
// bookmark or lack one, and by each run that cannot come to rest, because etcd's ticker
// goes on (draft-2019).
var BookmarksCome = testbed.RegisterProperty(&testbed.Property{
	Name: "bookmarks-come", Kind: testbed.Liveness,
	Promise:  "When nothing more can happen, bookmarks have brought every open watch that allows them to the resourceVersion of the cache.",
	Violated: "no bookmark",
	Labels:   map[string]string{"missing": "no bookmark"},
	Monitor:  testbed.Monitor{Runs: testbed.Untimed, State: bookmarksPast, AtRest: true},
	New:      testbed.Recorded(bookmarksCome),
})

func bookmarksCome(s *testbed.System, w *sim.World, all *testbed.Tally) {
	if !s.ComesToRest() {
		all.Exercised++
		return
	}
	if !s.IsOver(w) {
		return
	}
	for _, o := range openWatches(s) {
		if !sendsBookmarks(s.Cache(o.cache)) {
			continue
		}
		version := versionOf(s, o.cache)
		known := newestRevision(o.after, o.events)
		if known < version {
			all.Violate("missing", testbed.Wrong(explore.Concern{Node: o.client, Revision: version},
				"%s has an open watch that allows bookmarks, and nothing more can happen; it knows of RV %d, and no bookmark brought it to RV %d, where the cache is",
				o.client, known, version))
		}
		if known < version || slices.ContainsFunc(o.events, isBookmark) {
			all.Exercised++
		}
	}
}

// bookmarksPast is what the client of each open watch knows of.
func bookmarksPast(s *testbed.System, d sim.Digest) sim.Digest {
	for _, o := range openWatches(s) {
		d = d.Text(o.client).Int(newestRevision(o.after, o.events)).Bool(slices.ContainsFunc(o.events, isBookmark))
	}
	return d
}

// sendsBookmarks reports whether a cache serves its watches itself.
func sendsBookmarks(c *testbed.Cache) bool {
	return c.Server().Cache.Watches.Delegation == dispatch.Delegation(0)
}

func isBookmark(e *wire.WatchEvent) bool { return e.Type == wire.Bookmark }

// versionOf is the resourceVersion of a cache, 0 of one that does not show it.
func versionOf(s *testbed.System, id sim.NodeID) int64 {
	if c := s.Cache(id); c.Mirror != nil {
		return c.Mirror.ResourceVersion()
	}
	return 0
}

// BookmarksInTime looks at the watches of a cache while time passes. A watcher is due for
// a bookmark a minute after its last one, or two seconds before its time is over, so that
// its client has a new resourceVersion to go on from (storage/cacher, nextBookmarkTime).
// The dispatcher looks for watchers that are due every 1 to 1.25 seconds. Nothing is due
// where the client knows of the cache's resourceVersion already: upstream offers such a bookmark all the same,
// which cacheWatcher.process does not send, and the next one is due a period later. It is exercised by
// bookmarks that are not the end of initial events.
var BookmarksInTime = testbed.RegisterProperty(&testbed.Property{
	Name: "bookmarks-in-time", Kind: testbed.Liveness,
	Promise:  "A watch is sent a bookmark once it is due, a minute or its bookmark-period after the last one or shortly before its end, and no sooner.",
	Violated: "bookmark at the wrong time",
	Labels:   map[string]string{"late": "bookmark too late", "often": "bookmarks too often"},
	Monitor:  testbed.Monitor{Runs: testbed.Timed},
	New: testbed.AfterStepsBy(func(s *testbed.System) *bookmarksInTime {
		return &bookmarksInTime{system: s, clients: make([]marked, len(s.Watchers()))}
	}, (*bookmarksInTime).step),
})

// These are upstream's (storage/cacher: defaultBookmarkFrequency, the 2 seconds of
// nextBookmarkTime, bookmarkTimer with its jitter). bookmarkSlack is more than messages
// take in the scenarios.
const (
	bookmarkPeriod = time.Minute
	bookmarkBefore = 2 * time.Second
	bookmarkSlack  = 100 * time.Millisecond
)

type bookmarksInTime struct {
	system  *testbed.System
	clients []marked
}

// marked is what one client was sent on the watch that it has open.
type marked struct {
	// stream is the number of watches, events that of events on the last one.
	stream, events int
	// known is the newest resourceVersion that the client knows of. The cache has a newer
	// one since behindSince, if behind.
	known       int64
	behind      bool
	behindSince sim.Time
	// marked is when the last bookmark came, or the watch began; end is when the API
	// server ends it, 0 for never. offered is the latest time at which the cache may have offered the last one, which was not sent if it
	// told the client nothing new.
	marked, offered, end sim.Time
	// period is the time between two bookmarks, sooner by how much one may be before that.
	period, sooner time.Duration
}

// Reset implements testbed.Observer.
func (j *bookmarksInTime) Reset() { clear(j.clients) }

// Follows implements testbed.Follower. Untimed a bookmark may come at any time.
func (j *bookmarksInTime) Follows(testbed.Part) bool {
	return j.system.Params().Clock.Mode == sim.Timed
}

func (j *bookmarksInTime) step(w *sim.World, _ sim.Action, all *testbed.Tally) {
	if w.Mode() != sim.Timed {
		return
	}
	for i, c := range j.system.Watchers() {
		m := &j.clients[i]
		if !c.Watching() {
			continue
		}
		now := w.Now()
		streams := c.Streams()
		s := &streams[len(streams)-1]
		if len(streams) != m.stream {
			*m = marked{stream: len(streams), known: s.From, marked: now, offered: now, period: j.period(c.To()), sooner: j.sooner(c.To())}
			if lasts := j.system.Params().Workload.WatchFor; lasts > 0 {
				m.end = now + sim.Time(lasts)
			}
		}
		for _, e := range s.Events[m.events:] {
			m.known = max(m.known, e.ResourceVersion)
			if isBookmark(e) {
				j.bookmark(all, c.Name(), m, now)
			}
		}
		m.events = len(s.Events)
		j.look(all, c.Name(), c.To(), m, now)
	}
}

// Copy has seen what the same judge of another system has.
func (j *bookmarksInTime) Copy(seen *bookmarksInTime) *bookmarksInTime {
	return &bookmarksInTime{j.system, slices.Clone(seen.clients)}
}

// Digest is, for each watch, what its client was sent, and since when it has not all.
func (j *bookmarksInTime) Digest(d sim.Digest) sim.Digest {
	for i, c := range j.system.Watchers() {
		m := &j.clients[i]
		if d = d.Bool(c.Watching()); !c.Watching() {
			continue
		}
		d = d.Int(m.known).Bool(m.behind).Int(int64(m.marked)).Int(int64(m.offered)).Int(int64(m.end)).Int(int64(m.period))
		if m.behind {
			d = d.Int(int64(m.behindSince))
		}
	}
	return d
}

// period is the time between two bookmarks of the cache that is watched.
func (j *bookmarksInTime) period(to sim.NodeID) time.Duration {
	if c := j.system.Cache(to); c != nil {
		return cmp.Or(c.Server().Cache.BookmarkPeriod, bookmarkPeriod)
	}
	return bookmarkPeriod
}

// sooner is by how much a bookmark may come before it is due. Kubernetes' dispatcher keeps watchers by the whole second in which
// they are due (watcherBookmarkTimeBuckets), and a node of another kind may do so; that of this module counts fractions as well.
func (j *bookmarksInTime) sooner(to sim.NodeID) time.Duration {
	if c := j.system.Cache(to); c != nil && c.Server().Design.OwnNode() {
		return time.Second
	}
	return 0
}

// last is when the last bookmark before the end of the watch is due.
func (m *marked) last() sim.Time { return m.end - sim.Time(bookmarkBefore) }

// due is when the next bookmark is, if the last one was offered at a time.
func (m *marked) due(offered sim.Time) sim.Time {
	at := offered + sim.Time(m.period)
	if m.end != 0 {
		at = min(at, m.last())
	}
	return at
}

// bookmark takes note of a bookmark, which must have been due.
func (j *bookmarksInTime) bookmark(all *testbed.Tally, client string, m *marked, now sim.Time) {
	all.Exercised++
	early := m.due(m.marked).Sub(now) > bookmarkSlack+m.sooner
	// The last one may come only once.
	again := m.end != 0 && m.marked.Sub(m.last()) > bookmarkSlack
	if early || again {
		all.Violate("often", mistimed(client, m.known, now, now.Sub(m.marked), true))
	}
	m.marked, m.offered = now, now
}

// look finds a watch that should have been sent a bookmark.
func (j *bookmarksInTime) look(all *testbed.Tally, client string, to sim.NodeID, m *marked, now sim.Time) {
	version := versionOf(j.system, to)
	if m.known >= version {
		m.behind = false
		return
	}
	if !m.behind {
		m.behind, m.behindSince = true, now
		if now.Sub(m.due(m.offered)) >= -m.sooner {
			m.offered = now
		}
	}
	lastCame := m.end != 0 && m.offered >= m.last()
	if since := max(m.behindSince, m.due(m.offered)); !lastCame && now.Sub(since) > bookmarkTimer+bookmarkSlack {
		all.Violate("late", mistimed(client, version, now, now.Sub(since), false))
	}
}

// mistimed is a bookmark that came too soon, or did not come.
func mistimed(client string, version int64, at sim.Time, took time.Duration, often bool) fmt.Stringer {
	about := explore.Concern{Node: client, Revision: version}
	if often {
		return testbed.Wrong(about,
			"%s was sent a bookmark at RV %d at %v, which was not due: the one before came %v earlier", client, version, at.Sub(0), took)
	}
	return testbed.Wrong(about,
		"%s had not been sent a bookmark at %v, where the cache was at RV %d; it was due %v before, and the dispatcher looks at least every %v",
		client, at.Sub(0), version, took, bookmarkTimer)
}
