package watches

import (
	"cmp"
	"slices"
	"time"

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
	Monitor:  testbed.Monitor{Runs: testbed.Untimed, State: versionsKnown, AtRest: true},
	New:      testbed.AtRest(bookmarksCome),
})

func bookmarksCome(s *testbed.System, _ *sim.World, all *testbed.Tally) {
	for o := range openWatches(s) {
		c := s.Cache(o.To)
		if c.Server().Cache.Watches.Delegation != dispatch.Delegation(0) {
			// The cache does not serve its watches itself.
			continue
		}
		_, events := o.Changes()
		version, known, marked := versionOf(c), newestKnown(o), slices.ContainsFunc(events, isBookmark)
		if known < version {
			all.Violatef("missing", testbed.Concern{Node: o.Client, Revision: version},
				"%s has an open watch that allows bookmarks, and nothing more can happen; it knows of RV %d, and no bookmark brought it to RV %d, where the cache is",
				o.Client, known, version)
		}
		if known < version || marked {
			all.Exercised++
		}
	}
}

// versionsKnown is what the client of each open watch knows of.
func versionsKnown(s *testbed.System, d sim.Digest) sim.Digest {
	for o := range openWatches(s) {
		_, events := o.Changes()
		d = d.Text(o.Client).Int(newestKnown(o)).Bool(slices.ContainsFunc(events, isBookmark))
	}
	return d
}

// newestKnown is the newest resourceVersion that the client of a watch knows of.
func newestKnown(w *testbed.Watch) int64 {
	known, events := w.Changes()
	for _, e := range events {
		known = max(known, e.ResourceVersion)
	}
	return known
}

func isBookmark(e *wire.WatchEvent) bool { return e.Type == wire.Bookmark }

// versionOf is the resourceVersion of a cache, 0 if the cache does not show it.
func versionOf(c *testbed.Cache) int64 {
	if c.Mirror != nil {
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
	New:      testbed.Each(testbed.WatcherNode, bookmarksInTime, testbed.AllParts...),
})

// These are upstream's (storage/cacher: defaultBookmarkFrequency, the 2 seconds of
// nextBookmarkTime, bookmarkTimer with its jitter). bookmarkSlack is more than messages
// take in the scenarios.
const (
	bookmarkPeriod = time.Minute
	bookmarkBefore = 2 * time.Second
	bookmarkSlack  = 100 * time.Millisecond
)

// marked is what one client was sent on the watch that it has open.
type marked struct {
	// stream is the number of watches, events that of events on the last one.
	stream, events int
	// known is the newest resourceVersion that the client knows of. The cache has a newer
	// one since behindSince, if behind.
	known       int64
	behind      bool
	behindSince sim.Time
	// marked is when the last bookmark came, or the watch began; end is when the API server ends it, 0 for never.
	// offered is the latest time at which the cache may have offered the last one, which was not sent if it told the
	// client nothing new.
	marked, offered, end sim.Time
	// period is the time between two bookmarks, sooner by how much one may be before that.
	period, sooner time.Duration
}

// bookmarksInTime looks at a client after each step, since time passes with it. Untimed a bookmark may come at any
// time.
func bookmarksInTime(s *testbed.System, w *sim.World, watcher int, m *marked, all *testbed.Tally) {
	c := s.Watchers()[watcher]
	if w.Mode() != sim.Timed || !c.Watching() {
		return
	}
	now, streams := w.Now(), c.Streams()
	st := &streams[len(streams)-1]
	if len(streams) != m.stream {
		*m = marked{stream: len(streams), known: st.Request.ResourceVersion, marked: now, offered: now, period: bookmarkPeriod}
		if of := s.Cache(c.To()); of != nil {
			m.period = cmp.Or(of.Server().Cache.BookmarkPeriod, bookmarkPeriod)
			if of.Server().Design.OwnNode() {
				// Kubernetes' dispatcher keeps watchers by the whole second in which they are due
				// (watcherBookmarkTimeBuckets), and a node of another kind may do so; that of this module counts
				// fractions as well.
				m.sooner = time.Second
			}
		}
		if lasts := s.Params().Workload.WatchFor; lasts > 0 {
			m.end = now + sim.Time(lasts)
		}
	}
	for _, e := range st.Events[m.events:] {
		m.known = max(m.known, e.ResourceVersion)
		if isBookmark(e) {
			m.bookmark(all, c.Name(), now)
		}
	}
	m.events = len(st.Events)
	m.look(all, c.Name(), versionOf(s.Cache(c.To())), now)
}

// Digest is what the client of a watch was sent, and since when it has not all.
func (m *marked) Digest(s *testbed.System, watcher int, d sim.Digest) sim.Digest {
	c := s.Watchers()[watcher]
	if d = d.Bool(c.Watching()); !c.Watching() {
		return d
	}
	d = d.Int(m.known).Bool(m.behind).Int(int64(m.marked)).Int(int64(m.offered)).Int(int64(m.end)).Int(int64(m.period))
	if m.behind {
		d = d.Int(int64(m.behindSince))
	}
	return d
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
func (m *marked) bookmark(all *testbed.Tally, client string, now sim.Time) {
	all.Exercised++
	early := m.due(m.marked).Sub(now) > bookmarkSlack+m.sooner
	// The last one may come only once.
	again := m.end != 0 && m.marked.Sub(m.last()) > bookmarkSlack
	if early || again {
		all.Violatef("often", testbed.Concern{Node: client, Revision: m.known},
			"%s was sent a bookmark at RV %d at %v, which was not due: the one before came %v earlier", client, m.known, now.Sub(0), now.Sub(m.marked))
	}
	m.marked, m.offered = now, now
}

// look finds a watch that should have been sent a bookmark by a cache at a resourceVersion.
func (m *marked) look(all *testbed.Tally, client string, version int64, now sim.Time) {
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
		all.Violatef("late", testbed.Concern{Node: client, Revision: version},
			"%s had not been sent a bookmark at %v, where the cache was at RV %d; it was due %v before, and the dispatcher looks at least every %v",
			client, now.Sub(0), version, now.Sub(since), bookmarkTimer)
	}
}
